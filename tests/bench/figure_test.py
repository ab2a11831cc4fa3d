"""The table and the chart that bench/report makes of a report.   usage: figure_test.py REPORT JSON"""
import json, pathlib, subprocess, sys, tempfile, unittest
import xml.etree.ElementTree as ET

REPORT, CANNED = sys.argv[1:]
SVG = "{http://www.w3.org/2000/svg}"


def report(*arguments):
    return subprocess.run([sys.executable, REPORT, *map(str, arguments)], capture_output=True, text=True)


class Figure(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_table(self):
        said = report("--from", CANNED)
        self.assertEqual(said.returncode, 0, said.stderr)
        rows = [line.split() for line in said.stdout.splitlines()]
        self.assertEqual(rows[1:6], [
            ["dgemm_8", "tangram", "8.000", "0.50", "0.50", "0.50", "f"],
            ["dgemm_8", "open<blas>", "4.000", "1.00", "1.00", "f"],
            ["bfs", "tangram", "1.000", "1.00", "1.50", "0.25", "b"],
            ["bfs", "rodinia", "1.500", "0.67", "0.15", "b"],
            ["alone", "tangram", "3.000", "1.00"]])
        self.assertIn("b: 20.0 GB/s", said.stdout)
        self.assertIn("f: 100.0 GFLOP/s", said.stdout)
        self.assertIn("2 CPUs, load average 0.25", said.stdout)
        self.assertIn(["bfs", "bfs_level", "114", "vertices@process"], rows)
        self.assertIn(["scan", "scan<int>", "7.20e37", "serial@process"], rows)

    def test_without_roofs(self):
        canned = json.loads(pathlib.Path(CANNED).read_text())
        canned["roof"] = {"bytes": None, "flops": None}
        file = self.folder / "bare.json"
        file.write_text(json.dumps(canned))
        said = report("--from", file)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("roofs: none was measured", said.stdout)
        self.assertEqual(said.stdout.splitlines()[1].split(), ["dgemm_8", "tangram", "8.000", "0.50", "0.50"])

    def searched(self, milliseconds):
        """The table where a search has found a plan of bfs that takes so long; 1 is the picked one's."""
        canned = json.loads(pathlib.Path(CANNED).read_text())
        canned["candidates"].append({"program": "bfs", "case": "bfs", "candidate": "found", "milliseconds": milliseconds,
                                     "bytes": 5e9 / milliseconds, "flops": None,
                                     "plan": "bfs_level on cpu-openmp: other@process", "tried": 7, "slow": 3})
        file = self.folder / "searched.json"
        file.write_text(json.dumps(canned))
        said = report("--from", file)
        self.assertEqual(said.returncode, 0, said.stderr)
        return said.stdout

    def test_search(self):
        said = self.searched(0.25)
        self.assertIn(["bfs", "7", "1.000", "0.250", "1.50", "6.00", "0.25", "1.00", "rodinia"],
                      [line.split() for line in said.splitlines()])
        self.assertIn("bfs: picked is 4.0x slower than the best of 7 plans found:\n  other@process\n", said)
        self.assertIn("tangram explain apps/bfs/bfs.tg.cpp --target cpu-openmp --spectrum 'bfs_level'", said)
        near = self.searched(0.5)
        self.assertIn("bfs: picked is 2.00x slower", near)
        self.assertNotIn("tangram explain", near)
        self.assertIn("bfs: none of 7 plans is faster than the picked one", self.searched(1))

    def test_failures(self):
        canned = json.loads(pathlib.Path(CANNED).read_text())
        canned["failures"] = ["serial@process: got 1"]
        file = self.folder / "failed.json"
        file.write_text(json.dumps(canned))
        said = report("--from", file)
        self.assertEqual(said.returncode, 1)
        self.assertIn("dgemm_8", said.stdout)
        self.assertIn("error: serial@process: got 1", said.stderr)

    def test_json_comes_back(self):
        first = report("--from", CANNED, "--json")
        file = self.folder / "again.json"
        file.write_text(first.stdout)
        self.assertEqual(report("--from", file, "--json").stdout, first.stdout)
        [ours] = [c for c in json.loads(first.stdout)["candidates"] if (c["case"], c["candidate"]) == ("bfs", "tangram")]
        self.assertEqual((ours["speed"], ours["share"], ours["roof_share"]), (1, 1.5, 0.25))

    def test_chart(self):
        file = self.folder / "figure.svg"
        said = report("--from", CANNED, "--svg", file)
        self.assertEqual(said.returncode, 0, said.stderr)
        root = ET.parse(file).getroot()
        bars = {b.find(f"{SVG}title").text.split(":")[0]: b for b in root.iter(f"{SVG}rect") if b.get("class") == "bar"}
        heights = {name: float(b.get("height")) for name, b in bars.items()}
        full = heights["bfs, tangram"]
        self.assertEqual(set(heights), {"dgemm_8, tangram", "dgemm_8, open<blas>", "bfs, tangram", "bfs, rodinia",
                                        "alone, tangram"})
        self.assertAlmostEqual(heights["dgemm_8, tangram"], full / 2, delta=0.1)
        self.assertAlmostEqual(heights["bfs, rodinia"], full * 2 / 3, delta=0.1)
        # All stand on one floor, side by side, inside the picture; ours have a colour of their own.
        self.assertEqual(len({round(float(b.get("y")) + float(b.get("height"))) for b in bars.values()}), 1)
        spans = sorted((float(b.get("x")), float(b.get("x")) + float(b.get("width"))) for b in bars.values())
        self.assertTrue(all(end <= begin for (_, end), (begin, _) in zip(spans, spans[1:])), spans)
        self.assertTrue(0 <= spans[0][0] and spans[-1][1] <= float(root.get("width")))
        self.assertEqual(len({b.get("fill") for name, b in bars.items() if name.endswith("tangram")}), 1)
        self.assertNotEqual(bars["bfs, tangram"].get("fill"), bars["bfs, rodinia"].get("fill"))
        words = [t.text for t in root.iter(f"{SVG}text")]
        for word in ["dgemm_8", "bfs", "alone", "open<blas>", "rodinia", "0.67"]:
            self.assertIn(word, words)

    def test_errors(self):
        broken = self.folder / "broken.json"
        for text in ["{", "[]", '{"candidates": [{}]}']:
            broken.write_text(text)
            said = report("--from", broken)
            self.assertEqual((said.returncode, said.stdout), (1, ""), said)
            self.assertIn(f"error: {broken} is not what --json prints", said.stderr)
        said = report("--from", self.folder / "none.json")
        self.assertEqual(said.returncode, 1)
        self.assertIn("none.json: No such file", said.stderr)
        said = report("--build", self.folder, "nothing")
        self.assertEqual(said.returncode, 1)
        self.assertIn("no program 'nothing'; there are reduce", said.stderr)


unittest.main(argv=sys.argv[:1])
