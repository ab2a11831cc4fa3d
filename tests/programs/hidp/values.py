"""What programs in HiDP compute, against Python: values.py TANGRAM SOURCES FOLDER."""
import math
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import kernel_library

tangram, sources, folder = sys.argv[1:4]
here = os.path.dirname(__file__)
random.seed(5)


libraries = {}


def kernel(file, spectrum):
    """Of a library of all spectrums of the file that no other one calls."""
    if file not in libraries:
        where = os.path.join(folder, os.path.basename(file) + ".library")
        os.makedirs(where, exist_ok=True)
        subprocess.run([tangram, "compile", file, "--target", "cpu-openmp", "--backend", "llvm-cpu", "--emit", "library",
                        "-o", where], check=True, stdout=subprocess.DEVNULL)
        library = next(f for f in sorted(os.listdir(where)) if f.endswith(".so"))
        libraries[file] = {k.descriptor.spectrum.decode(): k for k in kernel_library.kernels(os.path.join(where, library))}
    return libraries[file][spectrum]


def call(k, *arguments):
    status, message, after = k(*arguments)
    assert status == kernel_library.OK, message
    return after


def same(name, got, wanted):
    if len(got) < len(wanted) or any(not math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-4) for a, b in zip(got, wanted)):
        sys.exit(f"{name}: {got[:20]}, and not {wanted[:20]}")


def numbers(n, least=-50, most=50):
    return [random.randint(least, most) for _ in range(n)]


def parts(n, count):
    """Ends of `count` segments of n elements, some of them empty."""
    return [0] + sorted(random.randint(0, n) for _ in range(count - 1)) + [n]


def gemm():
    k = kernel(f"{sources}/gemm.hidp", "GEMM")
    for m, n, kk in ((1, 1, 1), (5, 7, 3), (17, 31, 4), (3, 4, 0)):
        a, b, c = numbers(m * kk), numbers(kk * n), numbers(m * n)
        after = call(k, 2.0, -1.0, (a, [m, kk]), (b, [kk, n]), (c, [m, n]))
        same("GEMM", after[4], [2 * sum(a[i * kk + x] * b[x * n + j] for x in range(kk)) - c[i * n + j]
                                for i in range(m) for j in range(n)])


def stencil():
    k = kernel(f"{sources}/stencil7.hidp", "stencil7")
    for x, y, z in ((3, 4, 5), (1, 2, 3), (7, 9, 11)):
        a = numbers(x * y * z)
        wanted = [7.0] * (x * y * z)
        at = lambda i, j, l: a[(i * y + j) * z + l]
        for i in range(1, x - 1):
            for j in range(1, y - 1):
                for l in range(1, z - 1):
                    wanted[(i * y + j) * z + l] = 2 * at(i, j, l) + 3 * (
                        at(i - 1, j, l) + at(i + 1, j, l) + at(i, j - 1, l) + at(i, j + 1, l) + at(i, j, l - 1) + at(i, j, l + 1))
        same("stencil7", call(k, 2.0, 3.0, (a, [x, y, z]), ([7.0] * (x * y * z), [x, y, z]))[3], wanted)


def spmv():
    k = kernel(f"{sources}/spmv.hidp", "spmv")
    for rows, count in ((1, 0), (5, 20), (40, 333)):
        row, column, value, x = parts(count, rows), numbers(count, 0, 8), numbers(count), numbers(9)
        same("spmv", call(k, row, column, value, x, [0.0] * rows)[4],
             [sum(value[e] * x[column[e]] for e in range(row[r], row[r + 1])) for r in range(rows)])


def spmv_coo():
    k = kernel(f"{sources}/spmv_coo.hidp", "spmv_coo")
    for rows, count in ((1, 0), (3, 1), (40, 333), (200, 60)):
        row, column, value, x = sorted(numbers(count, 0, rows - 1)), numbers(count, 0, 8), numbers(count), numbers(9)
        wanted = [0] * rows
        for e in range(count):
            wanted[row[e]] += value[e] * x[column[e]]
        same("spmv_coo", call(k, row, column, value, x, [7.0] * rows)[4], wanted)


def segments():
    k = kernel(f"{sources}/segments.hidp", "sums_of_segments")
    for n, count in ((0, 1), (20, 5), (333, 40)):
        a, row = numbers(n), parts(n, count)
        same("sums_of_segments", call(k, a, row, [7.0] * count)[2], [sum(a[row[s]:row[s + 1]]) for s in range(count)])


def bitonic():
    k = kernel(f"{sources}/bitonic.hidp", "bitonic")
    for bits in (0, 1, 2, 7):
        a = numbers(1 << bits, 0, 1 << (2 * bits))
        same("bitonic", call(k, bits, a)[1], sorted(a))
    status, message, _ = k(3, numbers(7, 0, 9))
    assert status == kernel_library.BAD_ARGUMENT and "key" in message, (status, message)


def particles():
    k = kernel(f"{sources}/particles.hidp", "particles")
    for n, cells, radius in ((1, 1, 0.1), (40, 4, 0.2), (100, 8, 0.12)):
        p, v = [[[random.uniform(-1, 1) for _ in range(n)] for _ in range(3)] for _ in range(2)]
        after = call(k, cells, 0.05, radius, *p, *v)
        p, v = [list(a) for a in p], [list(a) for a in v]
        for d in range(3):
            for i in range(n):
                p[d][i] += 0.05 * v[d][i]
                if abs(p[d][i]) > 1 - radius:
                    p[d][i], v[d][i] = math.copysign(1 - radius, p[d][i]), -0.5 * v[d][i]
            same("particles' places", after[3 + d], p[d])
        pushed = [list(a) for a in v]
        for i in range(n):
            for b in range(n):
                apart = [p[d][b] - p[d][i] for d in range(3)]
                distance = math.hypot(*apart)
                if b == i or not 0 < distance < 2 * radius:
                    continue
                for d in range(3):
                    pushed[d][i] += 0.02 * (v[d][b] - v[d][i]) - 0.5 * (2 * radius - distance) * apart[d] / distance
        for d in range(3):
            same("particles' speeds", after[6 + d], pushed[d])


def quicksort():
    k = kernel(f"{sources}/quicksort.hidp", "quicksort")
    for a in ([], [3], numbers(1000, 0, 2 ** 32 - 1), numbers(300, 0, 15), [7] * 65, list(range(100, 0, -1))):
        same("quicksort", call(k, a, [0] * len(a))[1], sorted(a))


def primitives():
    file = f"{here}/primitives.hidp"
    k = kernel(file, "whole")
    for n in (1, 2, 63, 200):
        a = numbers(n)
        after = call(k, a, *[[0] * n for _ in range(5)], [0] * 4, 0)
        pivot = int(max(a) / 2)
        firsts = [x for x in a if x < pivot]
        same("sort", after[1], sorted(a))
        same("sort down", after[2], sorted(a, reverse=True))
        same("partition", after[3], firsts + [x for x in a if not x < pivot])
        same("scan", after[4], [sum(a[:i]) for i in range(n)])
        same("reverse twice", after[5], a)
        same("values", after[6], [sum(a), max(a), a.index(min(a)), len(firsts)])
        assert after[-1] == min(a)
    k = kernel(file, "of_ranges")
    for n, count in ((10, 1), (100, 7), (3, 20)):
        a, row = numbers(n), parts(n, count)
        segments = [a[row[s]:row[s + 1]] for s in range(count)]
        after = call(k, a, row, [0] * count, [0] * n, [0] * n)
        same("segments' sums", after[2], [sum(s) for s in segments])
        same("segments' scans", after[3], [sum(s[:i + 1]) for s in segments for i in range(len(s))])
        same("segments sorted", after[4], [x for s in segments for x in sorted(s)])
    k = kernel(file, "in_blocks")
    for n, count in ((10, 1), (100, 7), (3, 20)):
        a, row, pivots, value = numbers(n), parts(n, count), numbers(count), numbers(n)
        after = call(k, a, row, pivots, [0] * count, [0] * count, [0] * n, [0] * n, [0] * (2 * count), [0] * (2 * count),
                     value, [0] * n)
        least, place, halves, back, low, high, withs = [], [], [], [], [], [], []
        for s in range(count):
            ends = range(row[s], row[s + 1])
            firsts = [i for i in ends if a[i] < pivots[s]]
            order = firsts + [i for i in ends if not a[i] < pivots[s]]
            least.append(min((a[i] for i in ends), default=2 ** 31 - 1))
            place.append(next((i for i in ends if a[i] == least[-1]), row[s + 1]))
            halves += [a[i] for i in order]
            withs += [value[i] for i in order]
            back += [a[i] for i in reversed(ends)]
            low += [row[s], row[s] + len(firsts)]
            high += [row[s] + len(firsts), row[s + 1]]
        for name, at, wanted in (("least", 3, least), ("place", 4, place), ("halves", 5, halves), ("back", 6, back),
                                 ("low", 7, low), ("high", 8, high), ("with", 10, withs)):
            same(f"in blocks: {name}", after[at], wanted)
    k = kernel(file, "regular")
    a = random.sample(range(1000), 44)
    segments = [a[s:s + 4] for s in range(0, 44, 4)]
    after = call(k, a, [0] * 11, [0] * 11, [0] * 44, [0] * 44, list(range(44)))
    same("reg_reduce", after[1], [sum(s) for s in segments])
    same("reg_max", after[2], [max(s) for s in segments])
    same("reg_reverse", after[3], [x for s in segments for x in reversed(s)])
    same("reg_sort", after[4], [x for s in segments for x in sorted(s, reverse=True)])
    same("reg_sort's values", after[5], [a.index(x) for x in after[4]])


def language():
    file = f"{here}/language.hidp"
    a = numbers(37)
    after = call(kernel(file, "branches"), a, [0] * 37)

    def branch(x):
        r = 3 * x if x < 0 else x + 1 if x % 2 == 0 else 0
        k = x & 15
        while k > 0:
            r, k = r + k, k - 3
        return 100 if r > 100 else -r
    same("branches", after[1], [branch(x) for x in a])
    a = [float(x) for x in numbers(20)]
    size = math.sqrt(sum(x * x for x in a))
    after = call(kernel(file, "normalised"), a, 0.0)
    same("normalised", after[0], [x / size for x in a])
    same("spread", [after[1]], [(max(a) - min(a)) / size])
    a = [float(x) for x in numbers(5 * 7)]
    after = call(kernel(file, "columns_of"), (a, [5, 7]), ([0.0] * 35, [5, 7]), [0.0] * 7)
    same("columns", after[1], [2 * x for x in a])
    same("columns' sums", after[2], [sum(a[j::7]) for j in range(7)])
    after = call(kernel(file, "settled"), [100, -3, 9, 1 << 20], 0)
    rounds, b = 0, [100, -3, 9, 1 << 20]
    while True:
        rounds += 1
        if all(-7 <= x <= 7 for x in b):
            break
        b = [int(x / 2) for x in b]
    same("settled", after[0], b)
    assert after[1] == rounds, (after[1], rounds)
    m, n = 5, 6
    a = [float(x) for x in numbers(m * n)]
    after = call(kernel(file, "shapes"), (a, [m, n]), [0.0] * m, ([0.0] * m * n, [m, n]), ([0.0] * m * n, [m, n]))
    rows = [sum(x * x + 1 for x in a[i * n:i * n + n]) / 2 for i in range(m)]
    b = [x * x + 1 - x for x in a]
    same("shapes: rows", after[1], rows)
    same("shapes: C", after[3], [b[(m - 1 - i) * n + j] + rows[i] for i in range(m) for j in range(n)])


def library():
    k = kernel(f"{here}/segmented.tg.cpp", "segmented")
    for n, count in ((10, 1), (100, 7), (3, 20)):
        a, row = numbers(n, -3, 3), parts(n, count)
        segments = [a[row[s]:row[s + 1]] for s in range(count)]
        # int8_t elements, whose sums are int.
        after = call(k, a, row[:-1], row[1:], [0] * count, [0] * count, [0] * count, [0] * n, [0] * n, [0] * n, 0)
        same("segments_sum", after[3], [sum(s) for s in segments])
        same("segments_least", after[4], [min(s, default=127) for s in segments])
        same("segments_most", after[5], [max(s, default=-128) for s in segments])
        same("segments_scan", after[6], [sum(s[:i]) for s in segments for i in range(len(s))])
        same("segments_reverse", after[7], [x for s in segments for x in reversed(s)])
        same("segment_sort", after[8], sorted(a, reverse=True))
        assert after[-1] == sum(a) + min(a) + max(a), after[-1]


for test in (gemm, stencil, spmv, spmv_coo, segments, bitonic, particles, quicksort, primitives, language, library):
    test()
print("all as Python has it")
