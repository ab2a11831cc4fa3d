"""The public inputs of the evaluation: where they are from, and how a benchmark takes them."""
import lzma, pathlib, shutil

SUITESPARSE = "https://sparse.tamu.edu"  # the SuiteSparse Matrix Collection: Matrix Market, .tar.gz
RODINIA = "https://rodinia.cs.virginia.edu"  # the benchmark suite 3.1: folder data/ of its archive
DATA = [  # name, where from, program, its option, what it is
    ("bcsstk18.mtx", f"{SUITESPARSE}/HB/bcsstk18", "spmv", "matrix", "11948 rows, symmetric: SpMV of the dissertation"),
    ("bcsstk13.mtx", f"{SUITESPARSE}/HB/bcsstk13", "spmv", "matrix", "2003 rows, symmetric"),
    ("dwt_2680.mtx", f"{SUITESPARSE}/HB/dwt_2680", "spmv", "matrix", "2680 rows, a pattern, symmetric"),
    ("adder_dcop_05.mtx", f"{SUITESPARSE}/Sandia/adder_dcop_05", "spmv", "matrix", "1813 rows, very uneven"),
    ("Groebner_id2003_aug.mtx", f"{SUITESPARSE}/JGD_Groebner/Groebner_id2003_aug", "spmv", "matrix", "4967 rows, integers, very uneven"),
    ("kdd_cup", f"{RODINIA} (data/kmeans/kdd_cup)", "kmeans", "file", "494020 points, 34 features: KMeans of the dissertation"),
    ("graph1MW_6.txt", f"{RODINIA} (data/bfs/graph1MW_6.txt)", "bfs", "file", "1M vertices: BFS of the dissertation"),
    ("graph65536.txt", f"{RODINIA} (data/bfs/graph65536.txt)", "bfs", "file", "65536 vertices"),
    ("graph4096.txt", f"{RODINIA} (data/bfs/graph4096.txt)", "bfs", "file", "4096 vertices"),
]


def here(folder, name):
    """The file in a folder, or the one that is compressed there; None where neither is."""
    return next((p for p in (folder / name, folder / f"{name}.xz") if p.exists()), None)


def options(folder, program, temporary):
    """An option for each input of a program that lies in a folder; what is compressed is unpacked into `temporary`."""
    for name, _, of, option, _ in DATA:
        found = here(folder, name) if of == program else None
        if found and found.suffix == ".xz":
            found = pathlib.Path(temporary) / name
            with lzma.open(here(folder, name)) as packed, open(found, "wb") as unpacked:
                shutil.copyfileobj(packed, unpacked)
        if found:
            yield f"--{option}={found}"
