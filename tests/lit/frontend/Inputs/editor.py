"""Checks valid programs with clang++ and clangd as an editor would run them: editor.py INCLUDE WORK FILE..."""
import os
import re
import shutil
import subprocess
import sys

BROKEN = """#include <tangram/tangram.h>
__spectrum int f(const Array<1,int> in);
__codelet int f(const Array<1,int> in) { in[0] = 1; return inn[0]; }
"""


def tool(name):
    found = shutil.which(name + "-19") or shutil.which(name)
    if not found:
        sys.exit(f"{name} is missing (Debian: clang-19 clangd-19)")
    return found


def main():
    include, work, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    clang, clangd = tool("clang++"), tool("clangd")
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    # What a user writes beside programs, see docs/language.md; headers of a program lie beside it.
    folders = sorted({os.path.dirname(os.path.abspath(f)) for f in files})
    with open(os.path.join(work, "compile_flags.txt"), "w") as flags:
        flags.write("-xc++\n-std=c++20\n-I" + include + "\n" + "".join(f"-I{f}\n" for f in folders))

    def compiles(file):
        done = subprocess.run([clang, "-fsyntax-only", "-std=c++20", "-I" + include, file],
                              capture_output=True, text=True, timeout=120)
        return done.returncode == 0 and not done.stderr, done.stderr

    def checks(file):
        copy = shutil.copy(file, os.path.join(work, f"{len(os.listdir(work))}-{os.path.basename(file)}"))
        # What every word means is looked up in the first file; in the others, diagnostics and a few lines are enough.
        lines = [] if file == files[0] else ["--check-lines=1-12"]
        done = subprocess.run([clangd, "--check=" + copy] + lines, capture_output=True, text=True, timeout=120)
        # Diagnostics are `E[time] [name] Line 3: ...`; a refactoring that does not apply is none.
        said = [line for line in done.stderr.splitlines() if re.match(r"[EW]\[[^]]*\] \[[^]]*\] Line ", line)]
        return "All checks completed" in done.stderr and not said, "\n".join(said) or done.stderr[-2000:]

    failures = 0
    for file in files:
        for what, check in ("clang++", compiles), ("clangd", checks):
            fine, said = check(file)
            if not fine:
                failures += 1
                print(f"{what} {file}:\n{said}")

    # The checks can fail.
    broken = os.path.join(work, "broken.tg.cpp")
    with open(broken, "w") as out:
        out.write(BROKEN)
    for what, check in ("clang++", compiles), ("clangd", checks):
        if check(broken)[0]:
            failures += 1
            print(f"{what} accepts a broken program")
    print(f"{len(files)} programs, {failures} failures")
    return 1 if failures or not files else 0


sys.exit(main())
