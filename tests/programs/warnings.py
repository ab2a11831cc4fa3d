"""Compiles what tangram writes for a program, and fails on any output of a compiler.

    warnings.py TANGRAM INCLUDE WORK CXX,CXX... FILE TARGET [SPECTRUM...]

Code of the chosen plan, and of one drawn at random, is read by every C++ compiler. The first one also optimises the
chosen plan's, which finds more. The header must be C, too.
"""
import os
import shutil
import subprocess
import sys

SEEDS = 1
WARN = ["-Wall", "-Wextra"]
READ = ["-std=c++20", "-fopenmp", "-fsyntax-only"] + WARN
OPTIMISE = ["-std=c++20", "-fopenmp", "-O2", "-march=native", "-c", "-o", "/dev/null"] + WARN
C = ["-std=c99", "-pedantic", "-fsyntax-only", "-x", "c"] + WARN


def main():
    tangram, include, work, compilers, file, target = sys.argv[1:7]
    spectrums = [word for spectrum in sys.argv[7:] for word in ("--spectrum", spectrum)]
    os.makedirs(work, exist_ok=True)
    failures = count = 0

    def silent(command):
        nonlocal count, failures
        count += 1
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode or done.stdout or done.stderr:
            failures += 1
            print(f"{' '.join(command)}\n{done.stdout}{done.stderr}")

    # A target of the test's own for each seed: what is drawn is the same everywhere.
    heuristics = [None] + list(range(SEEDS))
    for seed in heuristics:
        name = target
        if seed is not None:
            name = os.path.join(work, f"random-{seed}.yaml")
            with open(name, "w") as out:
                out.write(f"extends: {target}\npipeline:\n  heuristic: {{random: {{seed: {seed}}}}}\n")
        folder = os.path.join(work, str(seed))
        shutil.rmtree(folder, ignore_errors=True)
        command = [tangram, "compile", file, "--target", name, "-o", folder, "--stem", "kernels"] + spectrums
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode:
            failures += 1
            print(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
            continue
        source = os.path.join(folder, "kernels.cpp")
        includes = ["-I" + include, "-I" + folder]
        for number, compiler in enumerate(compilers.split(",")):
            silent([compiler] + READ + includes + [source])
            if number == 0 and seed is None:
                silent([compiler] + OPTIMISE + includes + [source])
        silent(["cc"] + C + includes + [os.path.join(folder, "kernels.h")])
    print(f"{count} compilations, {failures} with output")
    return 1 if failures or not count else 0


sys.exit(main())
