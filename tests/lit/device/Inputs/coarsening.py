# usage: coarsening.py TANGRAM SOURCE FOLDER: plans by which lanes share loops, of each spectrum; their wide accesses are
# counted, and their results compared, at sizes that no vector divides.
import pathlib, subprocess, sys

tangram, source, folder = sys.argv[1:]
folder = pathlib.Path(folder)

ONE = """  select over_i of {s}_a_i at grid with parts=2
    distribute to block
      select each_i at block
        distribute of {s}_a_at_i to thread
          select loops at thread
"""
TWO = """  select each_y of {s}_a_y_x at grid
    distribute of {s}_a_at_y_x to block
      select each_x at block
        distribute of {s}_a_at_y_at_x to thread
          select loops at thread
"""
ELSE = """  else devolve to block
    devolve to thread
      select a at thread
"""
COUNTED = """  select over_i of counted_a_i_j at grid with parts=2
    distribute to block
      select privatized_j_256 at block as vector
"""
# what a plan asks for, its rest, how many vectors are loaded and stored in one chunk, and arguments
CASES = {
    "converted": ("", ONE, 1, 1, ""),
    "shifted": ("", ONE, 1, 1, ""),
    "clamped": (" if in.size() <= 2147483647", ONE + ELSE, 1, 1, ""),
    "wrapped": ("", ONE, 1, 1, ""),
    "bordered": (" if in.size() <= 2147483647", ONE + ELSE, 1, 2, ""),  # what is written twice is stored twice
    "bounded": (" if in.size() <= 2147483647", ONE + ELSE, 0, 1, "--arg pieces=0"),
    "updated": ("", ONE, 3, 2, "--arg factor=0.75"),
    "rows": (" if in.size(1) <= 2147483647 && in.size(0) <= 2147483647", TWO + ELSE, 0, 1, ""),  # what is loaded on a condition, or in a loop, is so one by one
    "counted": ("", COUNTED, 1, 1, "--arg bins=zeros:256"),
}


def call(*command):
    done = subprocess.run([tangram, *command], text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"tangram {' '.join(command)}:\n{done.stdout}{done.stderr}")


for s, (condition, rest, loads, stores, arguments) in CASES.items():
    plan, out = folder / f"{s}.plan", folder / s
    plan.write_text(f"plan {s} for opencl-cpu\nselect a_divided at grid{condition}\n{rest.format(s=s)}")
    common = [source, "-s", s, "--target", "opencl-cpu", "--plan", str(plan)]
    call("compile", *common, "-o", str(out))
    text = "".join(f.read_text() for f in out.glob("*.cl"))
    print(s, "loads", text.count("vload"), "of", loads, "stores", text.count("vstore"), "of", stores)
    if (text.count("vload"), text.count("vstore")) != (loads, stores):
        sys.exit(f"{s}: not as many wide accesses as were expected")
    if s == "bounded" and text.count("/ pieces") != text.count("pieces > 0 && "):
        sys.exit("bounded: a division is done without its condition")
    sizes = "67,513" if rest in (TWO + ELSE, COUNTED) else "67,4085"
    call("verify", *common, "--sizes", sizes, *arguments.split())
