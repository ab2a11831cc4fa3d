"""The problems that bench/gpu times, with the kernels of their spectrums for a target of this machine.

usage: gpu_problems_test.py BENCH-GPU TANGRAM TEST-PROGRAM TARGET [PROBLEM...]
"""
import importlib.machinery, importlib.util, pathlib, subprocess, sys, tempfile

script, tangram, program, target, *wanted = sys.argv[1:]
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("gpu", script)
gpu = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu", loader))
loader.exec_module(gpu)
problems = {problem: (spectrum, expected) for spectrum, (_, timed, *_) in gpu.PROGRAMS.items() for problem, expected in timed.items()}


def run(*command):
    r = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert r.returncode == 0, (command, r.stdout)
    return r.stdout


# The table of the script and the programs' are of the same problems.
assert sorted(problems) == sorted(run(program).split()), problems
for problem, (spectrum, expected) in problems.items():
    if wanted and problem not in wanted:
        continue
    with tempfile.TemporaryDirectory() as folder:
        told = [f"--expect={size}" for size in expected.split()]
        run(tangram, "compile", gpu.APPS / gpu.PROGRAMS[spectrum][0], "--spectrum", spectrum, "--target", target, *told,
            "--emit", "library", "-o", folder)
        run(program, problem, 67 if problem.startswith("dgemm") else 1003, *pathlib.Path(folder).rglob("*.so"))
