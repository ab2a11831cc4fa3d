"""bench/roofline says of each program what it takes at least, and what its plan is predicted to take; how that comes out does not matter.

usage: roofline_test.py ROOFLINE BUILD
"""
import json, pathlib, re, subprocess, sys

script, build = sys.argv[1:]


def run(*options):
    return subprocess.run([sys.executable, script, "--build", build, *options], capture_output=True, text=True)


table = json.loads(run("--programs", "crc32,cfdflux", "--json").stdout)
assert {row["program"] for row in table} == {"crc32", "cfdflux"}, table
for row in table:
    assert row["bound"] > 0 and row["predicted"] > 0 and row["refused"] is None, row
    assert abs(row["ratio"] - row["predicted"] / row["bound"]) < 1e-6 * row["ratio"], row
assert table[0]["ratio"] >= table[1]["ratio"], table
text = run("--programs", "cfdflux").stdout
assert re.search(r"^cfdflux +[\d.]+ +[\d.]+ +[\d.]+$", text, re.M) and "of 1 above 1000" in text, text
unknown = run("--programs", "nothing")
assert unknown.returncode != 0 and "no program 'nothing'" in unknown.stderr, unknown

# Every program says its sizes, and what it takes at least.
for file in (pathlib.Path(script).parent.parent / "apps/roofline").glob("*.tg.cpp"):
    text = file.read_text()
    assert re.search(r"^// sizes: \S+=\d", text, re.M) and re.search(r"^// least: (bytes|operations|seconds) \d", text, re.M), file
