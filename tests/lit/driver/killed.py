"""usage: killed.py SIGNAL [--when PATTERN] TANGRAM ARGS...
A command that is killed while it compiles, or when it says PATTERN on standard error, leaves no compiler running, and
nothing in the temporary folder."""
import os, pathlib, re, signal, subprocess, sys, tempfile, time


def of(folder):
    """Command lines of processes that name the folder."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(folder) in line and int(process.name) != os.getpid():
            found.append(line)
    return found


def within(seconds, holds):
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


how, *words = sys.argv[1:]
pattern = None
if words[0] == "--when":
    pattern, words = words[1], words[2:]
with tempfile.TemporaryDirectory() as folder:
    err = subprocess.PIPE if pattern else subprocess.DEVNULL
    command = subprocess.Popen(words, env={**os.environ, "TMPDIR": folder}, stdout=subprocess.DEVNULL, stderr=err, text=True)
    if pattern:
        if not any(re.search(pattern, line) for line in command.stderr):
            sys.exit(f"it has never said {pattern}")
    elif not within(60, lambda: any("cc1plus" in line for line in of(folder))):
        sys.exit("no compiler was seen")
    command.send_signal(getattr(signal, how))
    command.wait()
    if not within(30, lambda: not of(folder)):
        sys.exit(f"still running: {of(folder)}")
    if not within(30, lambda: not os.listdir(folder)):
        sys.exit(f"left: {os.listdir(folder)}")
