"""How many versions of TileK's the plans of a spectrum choose between: versions.py EXPLAINED.json"""
import json
import re
import sys

text = json.dumps(json.load(open(sys.argv[1])))
names = set(re.findall(r"serial_((?:threads|gangs|square)_\w+)", text))
names = {n for n in names if re.search(r"_(in_order|interchanged)$", n)}
print(f"{sum(n.startswith('threads_') for n in names)} for threads, "
      f"{sum(n.startswith('gangs_') for n in names)} for gangs of workers, "
      f"{sum(n.startswith('square_') for n in names)} for squares of them")
