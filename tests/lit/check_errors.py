"""Gives each case of a file to tangram as an input file and compares what it says.

    check_errors.py CASES FOLDER [--suffix .tg.cpp] [--head TEXT] -- COMMAND...

COMMAND has FILE where the case's file goes; cases are written into FOLDER, behind TEXT and a line break where there is
one. A case starts with `=== NAME CODE LINE:COLUMN` (or `-` for the place), then one line for each text that the output
must hold (`> text`), then the input. CODE is the driver's exit code; a case must give exactly one error (or limitation).
"""
import argparse
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
    parser = argparse.ArgumentParser()
    parser.add_argument("cases")
    parser.add_argument("folder")
    parser.add_argument("--suffix", default=".tg.cpp")
    parser.add_argument("--head", default="")
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    failures = count = 0
    for case in list(cases(args.cases)):
        count += 1
        source = os.path.join(args.folder, case["name"] + args.suffix)
        with open(source, "w") as out:
            out.write((args.head + "\n" if args.head else "") + case["text"])
        command = [source if word == "FILE" else word for word in args.command]
        run = subprocess.run(command, capture_output=True, text=True, timeout=60)
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
            print(f"{args.cases}:{case['at']}: {case['name']}: {'; '.join(problems)}\n{said}")
    print(f"{count} cases, {failures} failures")
    return 1 if failures or count == 0 else 0


sys.exit(main())
