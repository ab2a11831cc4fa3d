"""bench/examples, also of the family's programs and those that were held out, on data of a few elements, of which no tile is full: kernels by hand and plans agree.

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
    "hgemm": "a=random:17x31 b=random:31x35 c=zeros:17x35",
    "mvt": "a=random:37x35 y1=random:35 y2=random:37 x1=random:37 x2=random:35",
    "gemver": "alpha=1.5 beta=1.25 a=random:37x37 " + vectors("u1 v1 u2 v2 y z x w", 37),
    "atax": "a=random:37x35 x=random:35 y=zeros:35",
    "hidp-gemm": "_alpha=1.5 _beta=1.25 A=random:17x31 B=random:31x35 C=random:17x35",
    "hidp-stencil7": "_center=0.5 _beside=0.125 in=random:35x36x37 out=zeros:35x36x37",
    "hidp-himeno": examples.himeno("11x12x37"),
    "hidp-spmv": "row=offsets:column:38 column=index:x:333 value=random:333 x=random:35 y=zeros:37",
    "hidp-sort": "in=index:4294967295:1003 out=zeros:1003",
    "hidp-segments": "in=random:1003 row=offsets:in:38 sums=zeros:37",
    "tilek-conv2d": "n=35 m=77 A=random:35x77 B=zeros:35x77",
    "tilek-sgemm": "n=17 m=35 p=31 alpha=1.5 beta=1.25 A=random:17x31 B=random:31x35 C=random:17x35",
    "tilek-syr2k": "n=37 m=35 alpha=1.5 beta=1.25 A=random:37x35 B=random:37x35 C=random:37x37",
    "tilek-doitgen": "R=3 Q=5 P=37 A=random:3x5x37 sum=zeros:3x5x37 C4=random:37x37",
    "syrk": "alpha=1.5 beta=1.25 a=random:37x35 c=random:37x37",
    "covariance": "data=random:35x37 result=zeros:37x37",
    "layernorm": "epsilon=0.00001 in=random:5x77 gain=random:77 bias=random:77 out=zeros:5x77",
    "attention": "q=random:35x64 k=random:131x64 v=random:131x64 o=zeros:35x64",
    "blackscholes": "rate=0.02 volatility=2 price=index:64:67 strike=ones:67 years=ones:67 call=zeros:67 put=zeros:67",
    "mandelbrot": "left=-2 top=-1.25 step=0.07 limit=100 count=zeros:35x37",
    "blur": "in=random:35x77 weights=random:9 out=zeros:35x77",
    "sobel": "in=random:35x77 out=zeros:35x77",
    "stencil27": "weights=random:3x3x3 in=random:35x36x37 out=zeros:35x36x37",
    "argmax": "in=random:5x777 out=zeros:5",
    "nearest": "points=random:67x16 centers=random:35x16 out=zeros:67",
    "upsample": "in=random:35x77 out=zeros:70x154",
    "fir": "in=random:1130 taps=random:128 out=zeros:1003",
    "embedding": "table=random:333x128 index=index:table:7x32 out=zeros:7x128",
    "fdtd2d": "source=random:3 ex=random:37x35 ey=random:37x35 hz=random:37x35",
    "floyd": "path=index:100:77x77",
    "cholesky": "shift=100 a=random:37x37",
    "trmm": "alpha=1.5 a=random:37x37 b=random:37x35",
    "conv2d": "in=random:2x5x11x37 weights=random:7x5x3x3 bias=random:7 out=zeros:2x7x11x37",
    "batchnorm": "epsilon=0.00001 in=random:3x5x11x37 gain=random:5 bias=random:5 mean=zeros:5 variance=zeros:5 out=zeros:3x5x11x37",
    "crossentropy": "logits=random:35x77 label=index:77:35",
    "q8gemv": "weights=random:37x77 scale=random:37 zero=random:37 x=random:77 y=zeros:37",
    "equalize": "in=random:35x77x3 out=zeros:35x77",
    "bilateral": "near=3 alike=0.5 in=random:35x77 out=zeros:35x77",
    "compact": "threshold=0 in=random:1003 out=zeros:1003",
    "smithwaterman": "a=index:4:130 b=index:4:77 score=zeros:131x78",
    "lbm": "omega=1.25 in=index:64:9x35x77 out=zeros:9x35x77",
    "dct": "c=random:8x8 in=random:40x72 out=zeros:40x72",
    "heat3d": "steps=3 a=random:11x12x13 b=random:11x12x13",
    "lu": "shift=50 a=random:37x37",
    "gramschmidt": "a=random:37x17 r=zeros:17x17 q=zeros:37x17",
    "spmm": "row=offsets:column:38 column=index:b:333 value=random:333 b=random:35x64 c=zeros:37x64",
    "rmsnorm": "epsilon=0.00001 in=random:5x77 gain=random:77 out=zeros:5x77",
    "maxpool": "in=random:3x5x11x37 out=zeros:3x5x6x19",
    "depthwise": "in=random:3x11x13x37 weights=random:3x3x37 out=zeros:3x11x13x37",
    "integral": "in=random:35x77 out=zeros:35x77",
    "ljforces": "cutoff=2.5 " + " ".join(f"{a}=index:4:67" for a in "xyz") + " count=index:65:67 neighbour=index:x:67x64 " + " ".join(f"{a}=zeros:67" for a in ["fx", "fy", "fz"]),
    "pagerank": "damping=0.85 row=offsets:from:38 from=index:rank:333 links=random:1..64:37 rank=random:0..1:37",
    "adam": "step=10 rate=0.001 beta1=0.9 beta2=0.999 epsilon=0.00000001 gradient=random:67 weight=random:67 mean=random:67 square=random:0..1:67",
    "thomas": "lower=random:7x35 diagonal=random:3..4:7x35 upper=random:7x35 right=random:7x35 x=zeros:7x35",
    "median": "in=random:35x77 out=zeros:35x77",
    "groupby": "key=index:1024:1003 value=random:1003 sum=zeros:1K count=zeros:1K",
    "life": "in=index:2:35x77 out=zeros:35x77",
    "logsumexp": "in=random:35x77 out=zeros:77",
    "ema": "alpha=0.125 in=random:35x77 out=zeros:35x77",
    "topk": "distance=random:35x77 value=zeros:35x8 index=zeros:35x8",
    "rotate": "cosine=0.8 sine=0.6 in=random:35x77 out=zeros:35x77",
    "selectivescan": "x=random:3x5x77 delta=random:0.01..0.25:3x5x77 a=random:-4..-0.5:77x16 b=random:3x5x16 c=random:3x5x16 skip=random:77 y=zeros:3x5x77",
    "costvolume": "first=random:4x11x37 second=random:4x11x37 cost=zeros:9x9x11x37",
    "inverse4": "shift=4 in=random:67x4x4 out=zeros:67x4x4",
    "rowquant": "in=random:35x77 out=zeros:35x77 scale=zeros:35",
    "asian": "paths=1003 seed=7 rate=0.03125 volatility=0.25 strike=1",
    "redblack": "sweeps=3 omega=1.5 f=random:35x37 u=random:35x37",
    "editdistance": "a=index:4:67x64 b=index:4:67x64 distance=zeros:67",
    "qmatmul": "in=random:35x77 weights=random:37x77 bias=random:37 scale=random:300000..1000000:37 out=zeros:35x37",
    "boxfilter": "radius=7 in=random:35x77 out=zeros:35x77",
    "yuv2rgb": "y=random:37x53 u=random:19x27 v=random:19x27 rgb=zeros:37x53x3",
    "pixelshuffle": "factor=3 in=random:2x45x7x11 out=zeros:2x5x21x33",
    "dequant4": "packed=random:13x51 scale=random:13x4 zero=random:0..15:13x4 out=zeros:13x101",
    "haar": "in=random:17x48 out=zeros:17x48",
    "layernormgrad": "x=random:29x67 gain=random:67 mean=random:29 inverse=random:0.5..2:29 dy=random:29x67 dx=zeros:29x67 dgain=zeros:67 dbias=zeros:67",
    "colpeak": "in=random:71x43 peak=zeros:43 row=zeros:43",
    "moments": "in=random:10007 out=zeros:4",
    "wave2d": "steps=7 speed=0.25 damp_row=random:0.9..1:39 damp_column=random:0.9..1:45 height=random:39x45 velocity=random:39x45",
    "binomial": "rate=0.03125 volatility=0.25 price=random:50..150:61 strike=random:80..120:61 years=random:0.25..2:61 put=zeros:61",
    "knapsack": "weight=random:1..50:19 worth=random:1..100:19 best=zeros:20x301",
    "gqadecode": "q=random:3x6x24 k=random:3x37x2x24 v=random:3x37x2x24 length=random:1..37:3 out=zeros:3x6x24",
    "contraction": "x=random:5x7x6x9 y=random:7x4x11x6 c=zeros:5x4x9x11",
    "sddmm": "row=offsets:column:46 column=index:b:303 value=random:303 a=random:45x33 b=random:51x33 out=zeros:303",
    "deposit": "x=random:0..1:5003 y=random:0..1:5003 charge=random:5003 density=zeros:17x23",
    "hough": "threshold=239 in=random:35x77 cosine=random:-16384..16384:180 sine=random:-16384..16384:180 votes=zeros:180x224",
    "composite": "over=random:35x77x4 under=random:35x77x4 out=zeros:35x77x4",
    "rope": "q=random:35x3x26 position=index:cosine:35 cosine=random:17x13 sine=random:17x13 out=zeros:35x3x26",
    "searchsorted": "edge=iota:77 in=random:-1..80:1003 bin=zeros:1003",
    "groupnorm": "groups=3 epsilon=0.00001 in=random:5x6x7x11 gain=random:6 bias=random:6 out=zeros:5x6x7x11",
    "adler32": "in=random:35x7777 sum=zeros:35",
    "kldivergence": "teacher=random:35x77 pupil=random:35x77 loss=zeros:35",
    "demosaic": "in=random:35x77 rgb=zeros:35x77x3",
    "erode": "radius=7 in=random:35x77 out=zeros:35x77",
    "conjugate": "iterations=5 shift=0.5 b=random:35x77 x=zeros:35x77",
    "hamming": "query=random:0..4294967295:35x7 entry=random:0..4294967295:77x7 distance=zeros:35x77",
    "trsm": "l=random:-0.01..0.01:77x77 b=random:77x35",
    "embeddinggrad": "token=index:dtable:103 dy=random:103x77 dtable=zeros:35x77",
    "hmm": "start=random:0..1:13 transition=random:0..1:13x13 emission=random:0..1:7x13 symbol=index:emission:35x11 likelihood=zeros:35",
    "fft": "in=random:5x64x2 out=zeros:5x64x2",
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
