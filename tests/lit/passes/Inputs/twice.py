#!/usr/bin/env python3
"""twice.py TANGRAM TARGET AST FOLDER: runs each pass of TARGET, and each of them once more on what it made.

Says of each pass what the second run does: nothing, a change, or an error, which must be the user's or a limitation,
with a place and advice. Whatever it does, the pipeline goes on with what the first run made."""
import json
import pathlib
import re
import subprocess
import sys

tangram, target, source, folder = sys.argv[1:]
folder = pathlib.Path(folder)
targets = json.loads(subprocess.run([tangram, "targets", "--json"], check=True, capture_output=True).stdout)
path = pathlib.Path(next(t["path"] for t in targets if t["name"] == target))
yaml = path.read_text()
shared = (path.parent / "pipelines" / (re.search(r"\buse: (\w+)", yaml).group(1) + ".yaml")).read_text()
without = re.search(r"\bwithout: \[(.*?)\]", yaml)
leave_out = without.group(1).split(", ") if without else []
block = re.search(r"\npasses:\n((?:  -[^\n]*\n)+)", shared).group(1)
passes = [p for p in (re.match(r"  - ([a-z-]+)", line).group(1) for line in block.splitlines()) if p not in leave_out]


def run(name, ast, out):
    with open(out, "wb") as file:
        return subprocess.run([tangram, "passes", "--run", name, "--target", target, ast], stdout=file,
                              stderr=subprocess.PIPE, text=True)


failed = False
for number, name in enumerate(passes):
    once, twice = folder / f"{number}.ast", folder / f"{number}-twice.ast"
    first = run(name, source, once)
    if first.returncode != 0:
        sys.exit(f"{name}: exit code {first.returncode}\n{first.stderr}")
    second = run(name, once, twice)
    said = "nothing" if once.read_text() == twice.read_text() else "a change"
    if second.returncode != 0:
        said = f"exit code {second.returncode}: {second.stderr.splitlines()[0]}"
        good = second.returncode in (1, 2) and re.match(r".+:\d+:\d+: error: ", second.stderr)
        good = good and "advice: " in second.stderr
        failed |= not good
    print(f"{name}: {said}")
    source = once
sys.exit(failed)
