"""Checks the valid programs of a folder with clang++ and clangd as an editor would run them."""
import glob
import os
import shutil
import subprocess
import sys

# What an editor cannot follow: docs/language.md says so.
COMPILER_ONLY = {"bare-codelet.tg.cpp"}


def main():
    include, folder, work = sys.argv[1:4]
    os.makedirs(work, exist_ok=True)
    files = [f for f in sorted(glob.glob(os.path.join(folder, "*.tg.cpp"))) if os.path.basename(f) not in COMPILER_ONLY]
    assert files, "no programs found"
    clang = shutil.which("clang++-19") or shutil.which("clang++")
    clangd = shutil.which("clangd-19") or shutil.which("clangd")
    if not clang:
        print("skipped: no clang++ here")
        return 0
    failures = 0

    def run(what, command, bad):
        nonlocal failures
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        said = done.stdout + done.stderr
        if done.returncode or any(word in said for word in bad):
            failures += 1
            print(what, "\n".join(l for l in said.splitlines() if not l.startswith("I[")), sep="\n")

    for file in files:
        run(f"clang++ {file}", [clang, "-fsyntax-only", "-std=c++20", "-I" + include, file], ["warning:"])
    with open(os.path.join(work, "compile_flags.txt"), "w") as flags:
        flags.write("-xc++\n-std=c++20\n-I" + include + "\n-I" + folder + "\n")
    # clangd looks up what every word means; the richest file is enough.
    if clangd:
        copy = shutil.copy(os.path.join(folder, "templates.tg.cpp"), work)
        run(f"clangd {copy}", [clangd, "--check=" + copy], ["E[", "[Error]"])

    # The check can fail.
    broken = os.path.join(work, "broken.tg.cpp")
    with open(broken, "w") as out:
        out.write("#include <tangram/tangram.h>\n__spectrum int f(const Array<1,int> in);\n"
                  "__codelet int f(const Array<1,int> in) { in[0] = 1; return 0; }\n")
    if subprocess.run([clang, "-fsyntax-only", "-std=c++20", "-I" + include, broken], capture_output=True).returncode == 0:
        failures += 1
        print("clang++ accepts a write to a const Array")
    return 1 if failures else 0


sys.exit(main())
