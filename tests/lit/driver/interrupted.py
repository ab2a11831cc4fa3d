"""COMMAND...: interrupts it when it has called a plan; it must print what it found until then, and end soon."""
import re
import signal
import subprocess
import sys
import time

process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
for line in process.stderr:
    if re.search(r"[1-9]\d* called", line):
        break
else:
    sys.exit("it has called no plan: " + process.stdout.read())
process.send_signal(signal.SIGINT)
began = time.monotonic()
out, err = process.communicate(timeout=60)
print(out, err)
print(f"exit code {process.returncode}", "soon" if time.monotonic() - began < 30 else "late")
