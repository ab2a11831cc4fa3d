"""bench/report runs a program and says all that there is to say; what it measures does not matter.

usage: report_test.py REPORT BUILD
"""
import json, subprocess, sys

script, build = sys.argv[1:]
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
