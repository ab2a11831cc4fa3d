"""bench/examples, on data of a few elements, of which no tile is full: kernels by hand and plans agree.

usage: examples_test.py bench/examples BUILD TARGET PROGRAM...
"""
import contextlib, dataclasses, importlib.machinery, importlib.util, io, json, sys, tempfile

script, build, target, *programs = sys.argv[1:]
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("examples", script)
examples = importlib.util.module_from_spec(importlib.util.spec_from_loader("examples", loader))
loader.exec_module(examples)


def vectors(names, size):
    return " ".join(f"{name}=random:{size}" for name in names.split())


SMALL = {
    "jacobi": "center=0.5 around=0.125 in=random:35x36x37 out=zeros:35x36x37",
    "convolution": "in=random:37x77 weights=random:7x7 out=zeros:31x71",
    "nbody": vectors("x y z mass ax ay az", 67),
    "softmax": "in=random:5x77 out=zeros:5x77",
    "transpose": "in=random:35x77 out=zeros:77x35",
    "histogram": "in=random:1003 bins=zeros:256",
    "batched": "a=random:5x16x16 b=random:5x16x16 c=zeros:5x16x16",
    "mriq": vectors("kx ky kz magnitude", 35) + " " + vectors("x y z real imaginary", 67),
    "2mm": "alpha=1.5 beta=1.25 a=random:17x31 b=random:31x35 c=random:35x37 d=random:17x37",
    "doitgen": "a=random:3x5x37 c4=random:37x37",
    "sgemm": "a=random:17x31 b=random:31x35 c=zeros:17x35",
    "mvt": "a=random:37x35 y1=random:35 y2=random:37 x1=random:37 x2=random:35",
    "gemver": "alpha=1.5 beta=1.25 a=random:37x37 " + vectors("u1 v1 u2 v2 y z x w", 37),
    "atax": "a=random:37x35 x=random:35 y=zeros:35",
}
assert SMALL.keys() == examples.PROGRAMS.keys()
examples.PROGRAMS = {name: dataclasses.replace(p, cpu=SMALL[name]) for name, p in examples.PROGRAMS.items()}
with tempfile.TemporaryDirectory(prefix="tangram-examples-") as folder:
    sys.argv = [script, "--build", build, "--target", target, "--heuristics", "parallelism-first", "--patience", "30", "--output", folder,
                "--programs", ",".join(programs), "--json"]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        status = examples.main()
report = json.loads(out.getvalue())
assert status == 0, report
assert set(report["seconds"]) == set(programs), report
assert all(isinstance(s, float) for found in report["seconds"].values() for s in found), report
