"""Adds made-up timings to a tuner's database: what the model calls memory takes a hundred times as long."""
import random
import sqlite3
import sys

random.seed(1)
db = sqlite3.connect(sys.argv[1])
problem, machine = db.execute(
    "select problem, machine from candidate join timing on timing.candidate = candidate.id").fetchone()
assert db.execute("select count(*) from share where model = 'model'").fetchone()[0] > 0
for i in range(200):
    part = random.random()
    candidate = db.execute("insert into candidate (problem, machine, plan, verdict, reason) values (?, ?, ?, 0, '')",
                           (problem, machine, f"made up {i}")).lastrowid
    for name, seconds in (("issue", (1 - part) * 1e-5), ("memory", part * 1e-5)):
        db.execute("insert into share values (?, 'model', ?, ?)", (candidate, name, seconds))
    db.execute("insert into timing (candidate, seconds) values (?, ?)", (candidate, 1e-5 * 100**part))
db.commit()
