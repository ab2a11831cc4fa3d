"""Programs whose plans are picked by a heuristic that is told of the sizes, compiled, and timed by bench-kernels beside
other kernels on the same data."""
import pathlib, re, subprocess, sys
from dataclasses import dataclass

APPS = pathlib.Path(__file__).resolve().parent.parent / "apps"


@dataclass
class Program:
    file: str  # below apps/
    spectrum: str
    device: str  # its arguments, on a device
    cpu: str
    sums: int = 1  # how many numbers an element of the result adds up; 0: none, it is exact
    whole: bool = True  # whether results are exact where all numbers are whole

    def arguments(self, target):
        return (self.cpu if "cpu" in pathlib.Path(target).stem else self.device).split()

    def expected(self, target):
        """What --expect says: the sizes that arguments are given, and whole numbers."""
        source = (APPS / self.file).read_text()
        given = [a.split("=", 1) for a in self.arguments(target)]
        whole = lambda name: re.search(rf"\b(int|unsigned|size_t|u?int\d+_t) {name}\b", source)
        return [f"{name}={spec.rsplit(':', 1)[1] if ':' in spec else spec}" for name, spec in given
                if ":" in spec or (spec.isdigit() and whole(name))]


def place(folder, name, heuristic):
    return pathlib.Path(folder) / f"{re.sub(r'[^a-z0-9]+', '-', name.lower())}.{heuristic}"


def build(tangram, target, name, program, heuristic, folder):
    """Compiles what the heuristic picks to the place of this name; None, or what the compiler says that is wrong."""
    command = [tangram, "compile", APPS / program.file, "-t", target, "-s", program.spectrum, "--emit", "library"]
    command += ["-o", place(folder, name, heuristic), "--heuristic", heuristic]
    for size in program.expected(target):
        command += ["--expect", size]
    for old in place(folder, name, heuristic).glob("*.so"):  # of a source of another name
        old.unlink()
    run = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    return run.stderr.strip() or "it failed" if run.returncode else None


def library(folder, name, heuristic):
    """Of what was built there; None where there is none."""
    return next(place(folder, name, heuristic).glob("*.so"), None)


def times(bench, target, program, libraries, options=()):
    """Of each library its seconds, or a text that says why there are none."""
    command = [bench, "--spectrum", program.spectrum, "--sums", program.sums, *options, *(f"--arg={a}" for a in program.arguments(target))]
    command += (["--whole"] if program.whole else []) + list(libraries)
    run = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, text=True)
    found = []
    for line in run.stdout.splitlines():
        word, _, rest = line.partition(" ")
        try:
            found.append(float(word))
        except ValueError:
            found.append(f"{word}: {rest.partition(': ')[2]}")
    return found + ["wrong: nothing was said"] * (len(libraries) - len(found))
