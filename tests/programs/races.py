#!/usr/bin/env python3
"""Runs plans of a spectrum under oclgrind, which watches every access of every work-item.

usage: races.py TANGRAM OCLGRIND KEEP TARGET PROGRAM SPECTRUM SEED PLANS PLAN [--arg=NAME=SPEC...] [--clean-only]

KEEP: the library made of keep-buffers.c. --arg: as `tangram verify` takes it. --clean-only: barriers are left alone, and
where there is a PLAN it is the only one.
The sampled plans must be right, free of races, and read nothing that was not written. Then barriers of the plan in the file PLAN (-: of the
picked one) are taken away one at a time: each must be missed, as a race, or nobody would notice one that is forgotten.
"""
import pathlib, re, shutil, subprocess, sys, tempfile

tangram, oclgrind, keep, target, program, spectrum, seed, plans, plan, *flags = sys.argv[1:]
arguments = [flag for flag in flags if flag.startswith("--arg=")]
clean_only = "--clean-only" in flags
apps = pathlib.Path(program).resolve().parent.parent
FOUND = re.compile(r"data race|Uninitialized|Invalid (read|write)|divergence", re.IGNORECASE)


def run(*command):
    r = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=800)
    return r.returncode, r.stdout


def must(*command):
    code, text = run(*command)
    if code:
        sys.exit(f"{' '.join(map(str, command))}\nends with {code}:\n{text[-4000:]}")
    return text


def watched(folder, sizes, *watch):
    log = folder.parent / "oclgrind.log"
    log.write_text("")
    # oclgrind puts its own library in front of all others; ours comes in front of that.
    code, text = run(oclgrind, "--data-races", *watch, "--max-errors", 8, "--log", log, "--build-options",
                     "-cl-opt-disable", "sh", "-c", f'LD_PRELOAD="{keep}:$LD_PRELOAD" exec "$@"', "sh", tangram, "check",
                     folder, "--in-process", "--sizes", sizes, *arguments)
    text += log.read_text()
    return code, FOUND.search(text), text


with tempfile.TemporaryDirectory() as temporary:
    folder, host = pathlib.Path(temporary) / "device", pathlib.Path(temporary) / "host"
    common = [program, "-I", apps, "--target", target, "--spectrum", spectrum]
    which = ["--plan", plan] if clean_only and plan != "-" else ["--sample", plans, "--seed", seed]
    must(tangram, "verify", *common, "--jobs", 1, "--timeout", 600, *which, "--sizes", "31", "-o", folder, *arguments)
    # oclgrind watches the first program of a process alone: what plans are compared with runs on the host.
    must(tangram, "verify", program, "-I", apps, "--jobs", 1, "--target", "cpu-simple", "--spectrum", spectrum, "--sample", 1,
         "--sizes", "1", "-o", host, *arguments)
    shutil.rmtree(folder / "spectrum_0" / "plainest")
    (host / "spectrum_0" / "plainest").rename(folder / "spectrum_0" / "plainest")
    code, found, text = watched(folder / "spectrum_0", "1,31,70", "--uninitialized")
    if code or found:
        sys.exit(f"oclgrind finds something in correct plans (exit {code}):\n{text[-6000:]}")
    print(f"{plans} plans are clean")
    if clean_only:
        sys.exit(0)

    choice = [] if plan == "-" else ["--plan", plan]
    lowered = must(tangram, "compile", *common, *choice, "--emit", "ast")
    syncs = [m.span() for m in re.finditer(r'\(Sync "block"\)', lowered)]
    if not syncs:
        sys.exit("the plan has no barrier")
    picked = folder / "spectrum_0" / "plans_0_0"
    for other in (folder / "spectrum_0").glob("plans_*"):
        shutil.rmtree(other)
    for begin, end in [(0, 0), *syncs]:
        picked.mkdir()
        (folder / "lowered.ast").write_text(lowered[:begin] + lowered[end:])
        must(tangram, "passes", "--emit", "library", "--target", target, "-o", picked, folder / "lowered.ast")
        code, found, text = watched(folder / "spectrum_0", "31,100")
        if begin == end and (code or found):
            sys.exit(f"oclgrind finds something in the plan (exit {code}):\n{text[-6000:]}")
        if begin != end and not code and not found:
            line = lowered.count("\n", 0, begin) + 1
            sys.exit(f"nobody misses the barrier in line {line} of the lowered AST:\n{lowered}")
        shutil.rmtree(picked)
    print(f"each of {len(syncs)} barriers of the plan is missed when it is taken away")
