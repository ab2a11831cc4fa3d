"""Plans of a spectrum, built as libraries for a benchmark: the picked one, and others, which are checked.

Those are some drawn uniformly, those of bench/plans, what the heuristic picks when it is told of sizes, and the plainest.
Needs nothing but Python and `tangram`.
"""
import json, pathlib, re, subprocess, sys

HERE = pathlib.Path(__file__).resolve().parent
SIZES = "0,1,31,1003"


class Wrong(Exception):
    """A plan fails, or a command does."""


def output(command):
    """Standard output of a command; what it writes to standard error is seen."""
    command = [str(c) for c in command]
    try:
        run = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    except OSError as e:
        raise Wrong(f"cannot run {command[0]}: {e.strerror}")
    if run.returncode:
        raise Wrong(f"failed: {' '.join(command)}\n{run.stdout}".rstrip())
    return run.stdout


def source(program):
    return HERE.parent / "apps" / program / f"{program}.tg.cpp"


class Search:
    def __init__(self, driver, target, folder, sample, seed):
        self.driver, self.target, self.folder, self.sample, self.seed = driver, target, pathlib.Path(folder), sample, seed
        self.failures = []

    def place(self, spectrum):
        place = self.folder / re.sub(r"\W+", "-", spectrum).strip("-")
        place.mkdir(parents=True, exist_ok=True)
        return place

    def compile(self, program, spectrum, *options):
        return output([self.driver, "compile", source(program), "--target", self.target, "--spectrum", spectrum, *options])

    def picked(self, program, spectrum):
        """Library and header of the plan that the heuristic picks when it is told nothing."""
        place = self.place(spectrum) / "picked"
        self.compile(program, spectrum, "--emit", "library", "-o", place)
        return place / f"lib{program}.so", place / f"{program}.h"

    def libraries(self, program, spectrum, arguments, sizes):
        """Those whose plans all passed; others are in `failures`. `arguments` say what `tangram verify` must be told of the
        spectrum's, `sizes` what the heuristic is told."""
        print(f"building plans of {spectrum} ...", file=sys.stderr, flush=True)
        place = self.place(spectrum)
        ways = {"drawn": ["--sample", self.sample, "--max", self.sample, "--seed", self.seed]}
        for plan in sorted((HERE / "plans").glob("*.plan")):
            if plan.read_text().startswith(f"plan {spectrum} for {self.target}\n"):
                ways[plan.stem] = ["--plan", plan]
        built = []
        try:
            if sizes:
                told = place / "told.plan"
                told.write_text(self.compile(program, spectrum, *(f"--expect={size}" for size in sizes), "--emit", "plan"))
                ways["told"] = ["--plan", told]
            for name, which in ways.items():
                built += self.verified(program, spectrum, place / name, [*which, *(f"--arg={a}" for a in arguments)])
        except Wrong as wrong:
            self.failures.append(str(wrong))
        return built

    def verified(self, program, spectrum, folder, options):
        command = [self.driver, "verify", source(program), "--target", self.target, "--spectrum", spectrum, "--sizes", SIZES,
                   *options, "-o", folder, "--json"]
        run = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, text=True)
        try:
            [said] = json.loads(run.stdout)
        except ValueError:  # it has said why itself
            raise Wrong(f"failed: {' '.join(map(str, command))}")
        self.failures += [f"{f['plan']}: {f['arguments']}: {f['reason']}" for f in said["failures"]]
        if said["nothing"]:
            self.failures.append(f"{spectrum}: {said['nothing']}")
        return sorted(folder.glob("spectrum_0/plans_*/*.so")) if run.returncode == 0 else []
