"""What bench-kernels says of kernels that are right, wrong, endless, crash, or are of another spectrum.

usage: kernels_test.py BENCH-KERNELS LIBRARY-OF-plans.c
"""
import os, subprocess, sys

bench, library = sys.argv[1:]


def said(kernels, *options):
    run = subprocess.run([bench, "--arg=in=random:1003", "--patience=0.5", "--repeat=3", *options, library],
                         env=os.environ | {"PLANS": kernels}, capture_output=True, text=True)
    return run.returncode, run.stdout.splitlines(), run.stderr


status, lines, _ = said("rwecr")
assert status == 1 and len(lines) == 5, lines
right, wrong, endless, crashing, again = lines
assert float(right.split()[0]) >= 0 and float(again.split()[0]) >= 0, lines
assert wrong.startswith(f"wrong {library}: result is ") and "1 elements differ" in wrong, wrong
assert endless == f"slow {library}: a call takes more than 0.5 s", endless
assert crashing.startswith(f"wrong {library}: crashed"), crashing
# What is slow is no reference and no mistake.
status, lines, _ = said("er")
assert status == 0 and lines[0].startswith("slow") and float(lines[1].split()[0]) >= 0, lines
status, _, error = said("r", "--spectrum=sum<float>")
assert status == 1 and "has no kernel of 'sum<float>'" in error, error
