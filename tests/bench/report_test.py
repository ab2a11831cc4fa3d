"""bench/report runs a program and says all that there is to say; what it measures does not matter.

usage: report_test.py REPORT BUILD [TARGET]    with the plan that is picked for another target, too
"""
import json, lzma, pathlib, subprocess, sys, tempfile

script, build, *others = sys.argv[1:]
command = [sys.executable, script, "--build", build, "--repetitions", "1", "--option", "bfs:vertices=1003", "--json", "bfs"]
run = subprocess.run(command, stdout=subprocess.PIPE, text=True)
assert run.returncode == 0
report = json.loads(run.stdout)
assert [c["candidate"] for c in report["candidates"]] == ["tangram", "rodinia"], report
for c in report["candidates"]:
    assert c["milliseconds"] > 0 and c["bytes"] > 0 and c["roof_share"] > 0 and 0 < c["speed"] <= 1, c
assert report["roof"]["bytes"] > 0 and report["machine"]["cpus"] > 0, report
[program] = report["programs"]
assert int(program["plans"]) > 1 and program["plan"].startswith("levels@process"), program

# The same with a search: the drawn plans, those of bench/plans, the one that is told of sizes, and the plainest.
with tempfile.TemporaryDirectory() as folder:
    run = subprocess.run([*command, "--plans", "2", "--seed", "3", "--output", folder], stdout=subprocess.PIPE, text=True)
    kept = {library.parts[-4] for library in pathlib.Path(folder).rglob("*.so")}
assert run.returncode == 0, run
assert {"drawn", "told", "bfs-a-vertex-each-thread"} <= kept, kept
report = json.loads(run.stdout)
assert [c["candidate"] for c in report["candidates"]] == ["tangram", "found", "rodinia"], report
[found] = report["found"]
assert found["spectrum"] == "bfs" and 3 <= found["tried"] <= 5 and found["plans"] == program["plans"], found
assert found["picked"]["plan"] == program["plan"] and found["found"]["plan"] and found["slower"] >= 1, found
assert report["failures"] == [], report

# With a file of the public data: here a small one by its name.
with tempfile.TemporaryDirectory() as folder:
    small = pathlib.Path(script).parent.parent / "tests/programs/Inputs/graph.txt"
    with lzma.open(f"{folder}/graph4096.txt.xz", "wb") as packed:
        packed.write(small.read_bytes())
    run = subprocess.run([*command, "--data", folder], stdout=subprocess.PIPE, text=True)
    assert run.returncode == 0 and [c["case"] for c in json.loads(run.stdout)["candidates"]] == ["bfs"] * 2 + ["bfs_graph4096"] * 2, run
run = subprocess.run([*command, "--data", "no-such-folder"], capture_output=True, text=True)
assert run.returncode == 1 and "no-such-folder" in run.stderr, run

# Another target's plan is compiled here.
for target in others:
    run = subprocess.run([*command, "--target", target], stdout=subprocess.PIPE, text=True)
    other = json.loads(run.stdout)
    assert run.returncode == 0 and [c["candidate"] for c in other["candidates"]] == ["tangram", "rodinia"], run
    assert other["programs"][0]["plan"] != program["plan"], other

# A program that fails is said, and does not keep the others from what they have to say.
run = subprocess.run([*command, "--option", "bfs:file=no-such-graph"], capture_output=True, text=True)
assert run.returncode == 1 and "no-such-graph cannot be read" in run.stderr, run
report = json.loads(run.stdout)
assert report["candidates"] == [] and len(report["failures"]) == 1, report
