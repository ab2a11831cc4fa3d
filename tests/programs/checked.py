#!/usr/bin/env python3
"""What checked code says of accesses out of range, in every plan of a sample.

usage: checked.py TANGRAM TARGET stray|function|waiting|lanes|csr PLANS

stray, lanes: each way of stray.tg.cpp and stray-lanes.tg.cpp to leave a container. function: its function, called
outside of a map. waiting: a loop around a map that waits for what is never written. csr: rows of a sparse matrix that decrease, point outside or lead
outside of x. Errors name program, codelet, line, index and size; nothing else is written; and what is in range is right.
"""
import pathlib, re, subprocess, sys, tempfile

from kernel_library import OK, OUT_OF_RANGE, kernels

tangram, target, what, plans = sys.argv[1:]
here = pathlib.Path(__file__).resolve().parent
apps = here.parent.parent / "apps"


def libraries(folder, program, spectrum, *flags):
    """The libraries of the plans that `verify` draws, which must agree where nothing is out of range."""
    r = subprocess.run([tangram, "verify", program, "--target", target, "--spectrum", spectrum, "--checked", "--timeout", "600", "--sample",
                        plans, "--sizes", "31", "-o", folder, *flags],
                       text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=800)
    if r.returncode:
        sys.exit(f"verify --checked ends with {r.returncode}:\n{r.stdout[-4000:]}")
    return sorted(pathlib.Path(folder).rglob("plans_*/*.so"))


def fails(kernel, said, *arguments):
    status, message, after = kernel(*arguments)
    if status != OUT_OF_RANGE or not re.search(said, message):
        sys.exit(f"{kernel.plan}\n{arguments}\nsays {status}: {message}\nexpected {said}")
    return after


def works(kernel, *arguments):
    status, message, after = kernel(*arguments)
    if status != OK:
        sys.exit(f"{kernel.plan}\n{arguments}\nsays {status}: {message}")
    return after


def function(far):
    return rf"stray\.tg\.cpp:6:\d+: function 'inner' of program '\w+' reads element {far} of 'kTable', which has 3$"


def shifted(kernel):
    for far in (3, -1, 1000000007):
        fails(kernel, function(far), far, [1, 2], [0, 0])
    if works(kernel, 2, [1, 2], [0, 0])[2] != [4, 5]:
        sys.exit("what is in range is wrong")
    return 1


def waiting(kernel):
    for far in (8, -1, 1000000007):
        said = rf"stray\.tg\.cpp:20:\d+: codelet 'raise\(a\)' of program 'waiting' changes element {far} of 'flags', which has 8$"
        fails(kernel, said, far, [1, 2, 3], [0] * 8)
    if works(kernel, 0, [1, 2, 3], [0] * 8)[2] != [1] + [0] * 7:
        sys.exit("what is in range is wrong")
    return 1


def stray(kernel):
    program = here / "stray.tg.cpp"
    ways = re.findall(r"case (\d+):.*// ((?:reads|writes|changes).*)", program.read_text())
    lines = {way: n for n, line in enumerate(program.read_text().splitlines(), 1)
             for way in re.findall(r"case (\d+):.*// ", line)}
    before = [5, 6, 7, 8, 9, 10, 11, 12]
    arguments = [0] * 8, (list(range(8)), [2, 4]), before
    for far in (8, -1, 1000000007):
        for way, expected in ways:
            element = expected.replace("FAR", str(far))
            said = rf"stray\.tg\.cpp:(\d+):\d+: codelet 'stray\(ways\)' of program 'stray' {re.escape(element)}$"
            after = fails(kernel, said, int(way), far, *arguments)
            found = int(re.search(r"\.cpp:(\d+)", kernel(int(way), far, *arguments)[1]).group(1))
            if not lines[way] <= found <= lines[way] + 5:
                sys.exit(f"way {way} is said to be in line {found}, it is in {lines[way]}")
            if after[4][1:] != before[1:]:
                sys.exit(f"way {way} writes {after[4]}")
        fails(kernel, function(far), 18, far, *arguments)
    if works(kernel, 0, 0, *arguments)[4][0] != 11 + 0 + 7 or works(kernel, 18, 2, *arguments)[4][0] != 3:
        sys.exit("what is in range is wrong")
    print(f"{len(ways)} ways to leave a container")
    return 1


def lanes(kernel):
    expected, _, after = kernel(0, 0, list(range(3)), 0)
    if expected != OK or after[3] != 3:
        sys.exit(f"{kernel.plan}: what is in range is wrong: {expected}, {after[3]}")
    if "together" not in kernel.plan:
        return 0
    ways = re.findall(r"case (\d+):.*// (.*)", (here / "stray-lanes.tg.cpp").read_text())
    for far in (1000000007, 300, 2**31 - 1):
        for way, element in ways:
            said = rf"^.*stray-lanes\.tg\.cpp:\d+:\d+: codelet 'lanes\(together\)' of program 'lanes' {element}$"
            fails(kernel, said, int(way), far, [0] * 3, 0)
    print(f"{len(ways)} ways for lanes to leave a container: {kernel.plan}")
    return 1


def csr(kernel):
    column, value, x = [0, 1, 2, 3, 4], [1.0] * 5, [1.0] * 5
    at = r"^.*spmv\.tg\.cpp:\d+:\d+: codelet 'spmv<float>\((rows|pieces)\)' of program 'spmv<float>' "
    for row, said in (([0, 4, 2, 5], at + r"begins a part of '(column|value)' at 4, which 'row' says, behind its end, 2$"),
                      ([0, 2, 4, 9], at + r"ends a part of '(column|value)' at 9, which 'row' says, but it has 5 elements$"),
                      ([2**32 - 1, 2, 4, 5], at + r"begins a part of '(column|value)' at 4294967295, which 'row' says, "
                                                  r"behind its end, 2$"),
                      ([6, 6, 6, 6], at + r"ends a part of '(column|value)' at 6, which 'row' says, but it has 5")):
        fails(kernel, said, row, column, value, x, [0.0] * 3)
    far = r"(sparse_dot\.tg\.h:11:18: codelet 'sparse_multiply<float>\(a\)'|spmv\.tg\.cpp:\d+:\d+: codelet 'add_piece<float>\(lanes\)') of program 'spmv<float>' reads element 5 of 'x', which has 5$"
    fails(kernel, far, [0, 2, 4, 5], [0, 1, 5, 3, 4], value, x, [0.0] * 3)
    after = works(kernel, [0, 2, 4, 5], column, value, x, [0.0] * 3)
    if after[4] != [2.0, 2.0, 1.0]:
        sys.exit(f"what is in range is wrong: {after[4]}")
    works(kernel, [0], [], [], [], [])
    # Arrays that disagree are refused before anything runs.
    for arguments in (([0, 2, 5], column, value, x, [0.0] * 3), ([0, 2, 4, 5], column[:4], value, x, [0.0] * 3)):
        status, message, _ = kernel(*arguments)
        if status in (OK, OUT_OF_RANGE) or "does not hold" not in message:
            sys.exit(f"{arguments}\nsays {status}: {message}")
    return 1


with tempfile.TemporaryDirectory() as folder:
    if what == "stray":
        files = libraries(folder, here / "stray.tg.cpp", "stray", "--arg", "which=0", "--arg", "m=random:2x4")
    elif what == "function":
        files = libraries(folder, here / "stray.tg.cpp", "shifted", "--arg", "far=1")
    elif what == "waiting":
        files = libraries(folder, here / "stray.tg.cpp", "waiting", "--arg", "far=0", "--arg", "flags=zeros:8")
    elif what == "lanes":
        files = libraries(folder, here / "stray-lanes.tg.cpp", "lanes", "--arg", "which=0", "--arg", "in=random:3")
    else:
        files = libraries(folder, apps / "spmv" / "spmv.tg.cpp", "spmv<float>", "--arg", "row=offsets:column", "--arg",
                          "column=index:x")
    called = 0
    for file in files:
        for kernel in kernels(file):
            called += {"stray": stray, "function": shifted, "waiting": waiting, "lanes": lanes, "csr": csr}[what](kernel)
    if not called:
        sys.exit("there is no kernel to call")
    print(f"{called} kernels")
