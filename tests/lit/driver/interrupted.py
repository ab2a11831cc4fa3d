"""PATTERN COMMAND...: interrupts it when it says so; it must print what it found until then, and end soon."""
import re
import signal
import subprocess
import sys
import time

pattern, *command = sys.argv[1:]
process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
for line in process.stderr:
    if re.search(pattern, line):
        break
else:
    sys.exit(f"it has never said {pattern}: " + process.stdout.read())
process.send_signal(signal.SIGINT)
began = time.monotonic()
out, err = process.communicate(timeout=60)
print(out, err)
print(f"exit code {process.returncode}", "soon" if time.monotonic() - began < 30 else "late")
