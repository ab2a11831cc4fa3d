"""bench/data says where each file is from, which are there, and what is wrong with a folder.

usage: data_test.py SCRIPT
"""
import json, pathlib, subprocess, sys, tempfile

script = sys.argv[1]


def run(*arguments):
    r = subprocess.run([sys.executable, script, *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return r.returncode, r.stdout, r.stderr


with tempfile.TemporaryDirectory() as folder:
    (pathlib.Path(folder) / "bcsstk18.mtx").touch()
    code, text, _ = run("--json", folder)
    data = {d["name"]: d for d in json.loads(text)}
    assert code == 0 and data["bcsstk18.mtx"]["here"] and not data["kdd_cup"]["here"], text
    assert all(d["from"].startswith("https://") for d in data.values()), text
    assert data["kdd_cup"]["benchmark"] == f"bench-kmeans --file={folder}/kdd_cup", text
    code, text, _ = run(folder)
    assert code == 0 and "here" in text and "missing" in text, text
code, _, error = run("no-such-folder")
assert code == 2 and "no-such-folder" in error, error
