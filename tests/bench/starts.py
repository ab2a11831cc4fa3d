"""A benchmark checks its candidates and lists them, one of them CANDIDATE; an option that it does not know is an error.

usage: starts.py CANDIDATE PROGRAM OPTION...
"""
import subprocess, sys

candidate, *program = sys.argv[1:]


def run(*more):
    return subprocess.run([*program, "--benchmark_list_tests", *more], capture_output=True, text=True)


listed = run()
assert listed.returncode == 0, listed.stderr
assert candidate + "/real_time" in listed.stdout.split(), listed.stdout
whole = run("--whole")
assert whole.returncode == 0 and whole.stdout == listed.stdout, whole.stderr
for wrong in ["--nothing-like-it=1", "extra"]:
    refused = run(wrong)
    assert refused.returncode == 1 and f"unknown option '{wrong}'" in refused.stderr, (wrong, refused)
