#!/usr/bin/env python3
"""Checked plans of spmv under oclgrind, which watches every access of every work-item.

usage: checked_watched.py TANGRAM OCLGRIND TARGET PLANS

Where all is in range they are free of races and right. Where rows decrease or point outside, each plan says so, and
oclgrind sees no access that is not allowed.
"""
import pathlib, re, shutil, subprocess, sys, tempfile

tangram, oclgrind, target, plans = sys.argv[1:]
program = pathlib.Path(__file__).resolve().parent.parent.parent / "apps" / "spmv" / "spmv.tg.cpp"
FOUND = re.compile(r"data race|Invalid (read|write)|divergence", re.IGNORECASE)


def run(*command):
    r = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=800)
    return r.returncode, r.stdout


def built(folder, target, *flags):
    code, text = run(tangram, "verify", program, "--target", target, "--spectrum", "spmv<float>", "--jobs", "1", "--timeout", "600", "--sizes", "31", "-o",
                     folder, "--arg", "row=offsets:column", "--arg", "column=index:x", *flags)
    if code:
        sys.exit(f"verify ends with {code}:\n{text[-4000:]}")
    return folder / "spectrum_0"


def watched(folder, *arguments):
    log = folder.parent / "oclgrind.log"
    log.write_text("")
    flags = [flag for argument in arguments for flag in ("--arg", argument)]
    code, text = run(oclgrind, "--data-races", "--max-errors", 8, "--log", log, "--build-options", "-cl-opt-disable",
                     tangram, "check", folder, "--in-process", "--sizes", "31", *flags)
    text += log.read_text()
    if FOUND.search(text):
        sys.exit(f"{arguments}: oclgrind finds something:\n{text[-6000:]}")
    return code, text


with tempfile.TemporaryDirectory() as temporary:
    device = built(pathlib.Path(temporary) / "device", target, "--sample", plans, "--checked")
    # oclgrind watches the first program of a process alone. What plans are compared with runs on the host, unchecked:
    # parts are cut to their containers.
    host = built(pathlib.Path(temporary) / "host", "cpu-simple", "--sample", 1)
    shutil.rmtree(device / "plainest")
    (host / "plainest").rename(device / "plainest")
    code, text = watched(device, "row=offsets:column", "column=index:x")
    if code:
        sys.exit(f"checked plans differ from unchecked ones:\n{text[-4000:]}")
    sizes = "column=0,1,2,3,4", "value=ones:5", "x=ones:5", "y=zeros:3"
    for rows, said in (("0,4,2,5", "begins a part of '(column|value)' at 4, which 'row' says, behind its end, 2"),
                       ("0,2,4,9", "ends a part of '(column|value)' at 9, which 'row' says, but it has 5 elements")):
        code, text = watched(device, "row=" + rows, *sizes)
        if code != 1 or len(re.findall(said, text)) < int(plans):
            sys.exit(f"rows {rows}: not every plan says that it {said}:\n{text[-4000:]}")
    print(f"{plans} checked plans are clean")
