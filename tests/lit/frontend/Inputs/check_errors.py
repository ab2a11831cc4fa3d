"""Runs each case of a file of programs through `tangram compile --emit ast` and compares what it says.

A case starts with `=== NAME CODE LINE:COLUMN`, then one line for each text that the output must hold (`> text`), then
the program. `sum` below stands for the declaration of a spectrum. CODE is the driver's exit code; a case must give
exactly one error (or limitation).
"""
import os
import re
import subprocess
import sys


def cases(path):
    current = None
    for number, line in enumerate(open(path), 1):
        head = re.match(r"=== (\S+) (\d) (\d+:\d+|-)$", line)
        if head:
            current = {"name": head[1], "code": int(head[2]), "place": head[3], "wanted": [], "text": "", "at": number}
            yield current
        elif current is None:
            continue
        elif line.startswith("> ") and not current["text"]:
            current["wanted"].append(line[2:].rstrip("\n"))
        else:
            current["text"] += line


def main():
    tangram, path, folder = sys.argv[1:4]
    os.makedirs(folder, exist_ok=True)
    failures = count = 0
    for case in list(cases(path)):
        count += 1
        source = os.path.join(folder, case["name"] + ".tg.cpp")
        with open(source, "w") as out:
            out.write("#include <tangram/tangram.h>\n" + case["text"])
        run = subprocess.run([tangram, "compile", source, "--emit", "ast"], capture_output=True, text=True, timeout=60)
        said = run.stderr
        errors = re.findall(r"^\S*?:?(\d+:\d+)?:? ?(?:error|limitation|internal error[^:]*):", said, re.M)
        problems = []
        if run.returncode != case["code"]:
            problems.append(f"exit code {run.returncode}, not {case['code']}")
        if len(errors) != 1:
            problems.append(f"{len(errors)} errors, not one")
        if case["place"] != "-" and f"{source}:{case['place']}: " not in said:
            problems.append(f"not at {case['place']}")
        problems += [f"it does not say: {text}" for text in case["wanted"] if text not in said]
        if problems:
            failures += 1
            print(f"{path}:{case['at']}: {case['name']}: {'; '.join(problems)}\n{said}")
    print(f"{count} cases, {failures} failures")
    return 1 if failures or count == 0 else 0


sys.exit(main())
