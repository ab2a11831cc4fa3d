"""bench/roofline says of each program what it takes at least, and what its plan is predicted to take; how that comes out does not matter.

usage: roofline_test.py ROOFLINE BUILD
"""
import importlib.machinery, importlib.util, json, pathlib, re, subprocess, sys

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
assert re.search(r"^cfdflux +[\d.]+ +[\d.e+-]+ +[\d.e+-]+$", text, re.M) and "of 1 above 1000" in text, text
unknown = run("--programs", "nothing")
assert unknown.returncode != 0 and "no program 'nothing'" in unknown.stderr, unknown

# Every program says its sizes, and what it takes at least.
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("roofline", script)
roofline = importlib.util.module_from_spec(importlib.util.spec_from_loader("roofline", loader))
loader.exec_module(roofline)
files = list(roofline.PROGRAMS.glob("*.tg.cpp"))
assert len(files) > 50, files
for file in files:
    sizes, bound = roofline.head(file)
    assert sizes and all(re.fullmatch(r"\w+=\d+[KMG]?(x\d+[KMG]?)*", size) for size in sizes), (file, sizes)
    assert bound > roofline.LAUNCH, (file, bound)
