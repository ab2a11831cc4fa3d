"""OUT.json of a tuner on codelets of which some are wrong, crash and never end: which of its candidates are which."""
import json
import sys

report = json.load(open(sys.argv[1]))
bad = {"wrong": "wrong@", "crashed": "far@", "endless": "endless@"}
found = set()
for candidate in report["candidates"]:
    names = [name for name in bad.values() if name in candidate["plan"]]
    verdict = candidate["verdict"]
    found.add(verdict)
    if verdict == "right":
        assert "seconds" in candidate or candidate["pick"], candidate
        assert not names, candidate  # each of them is called, whatever the plan
    else:
        assert "seconds" not in candidate and candidate["reason"], candidate
        assert bad[verdict] in candidate["plan"], candidate
assert found == {"right", *bad}, found
best = report["candidates"][report["best"]]
assert best["verdict"] == "right" and "seconds" in best, best
