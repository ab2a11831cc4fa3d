"""A benchmark tries the plans of a library: it takes the fastest, leaves out what does not end, and ends where one is wrong.

usage: plans_test.py BENCH-REDUCE LIBRARY
"""
import json, os, subprocess, sys

program, library = sys.argv[1:]


def run(plans, *options):
    return subprocess.run([program, "--elements=1003", f"--plans={library}", "--benchmark_filter=sum_i32/found",
                           "--benchmark_min_time=0.001", "--benchmark_format=json", *options],
                          env={**os.environ, "PLANS": plans}, capture_output=True, text=True)


said = run("rer")
assert said.returncode == 0, said.stderr
[found] = json.loads(said.stdout)["benchmarks"]
assert found["name"] == "sum_i32/found/real_time" and found["label"] == "sum<int> on cpu-openmp: right", found
assert (found["tried"], found["slow"]) == (2, 1), found  # the same plan counts once

# Where all are slow, or of another spectrum, nothing is found.
for nothing in [run("e"), run("r", f"--plans=")]:
    assert nothing.returncode == 0 and "found" not in nothing.stdout, nothing

for plans, why in [("rw", "plan 'sum<int> on cpu-openmp: wrong'"), ("rw", "sum_i32 is wrong: got"), ("c", "crashed"),
                   ("x", "other parameters")]:
    said = run(plans)
    assert said.returncode == 1 and why in said.stderr and said.stdout == "", (plans, said)

# The picked plan may come from a library, too: it is what is timed then.
ours = ["--plans=", f"--picked={library}", "--benchmark_filter=sum_i32/tangram"]
said = run("r", *ours)
assert said.returncode == 0 and len(json.loads(said.stdout)["benchmarks"]) == 1, said
said = run("w", *ours)
assert said.returncode == 1 and "sum_i32/tangram is wrong: got" in said.stderr, said
said = run("", f"--plans={library}.not")
assert said.returncode == 1 and "there is no library" in said.stderr, said
