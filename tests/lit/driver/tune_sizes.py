"""What `tune --sizes --json` says of a grid: each point once, its plan among those that were kept, and a time of the result."""
import json
import sys

report = json.load(open(sys.argv[1]))
asked = [p for p in report["points"] if not p["between"]]
assert [(p["variables"]["M"], p["variables"]["N"]) for p in asked] == [(8, 4), (8, 64), (32, 4), (32, 64)], asked
for point in report["points"]:
    assert "left-out" not in point and point["dispatch"] > 0 and point["pick"] > 0, point
    assert point["chosen"] in report["bundle"], point
    assert point["seconds"][point["chosen"]] is not None, point
    # --bundle 50%
    best = min(s for s in point["seconds"] if s is not None)
    assert min(point["seconds"][p] or float("inf") for p in report["bundle"]) <= 1.5 * best * 1.0001, point
assert report["regions"][-1]["when"] == "otherwise" and report["mean"] >= 1 and report["worst"] >= report["mean"], report
assert "otherwise" in report["plan"] or len(report["regions"]) == 1, report["plan"]
