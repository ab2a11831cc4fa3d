"""The plans of bench/plans for a CPU are plans, and right; what fails is kept, and what has failed is not among the libraries.

usage: search_test.py REPORT DRIVER
"""
import importlib.machinery, importlib.util, pathlib, sys, tempfile

sys.dont_write_bytecode = True
script, driver = sys.argv[1:]
loader = importlib.machinery.SourceFileLoader("report", script)
report = importlib.util.module_from_spec(importlib.util.spec_from_loader("report", loader))
loader.exec_module(report)

written = {p.stem: p.read_text().split()[1] for p in pathlib.Path(script).parent.glob("plans/*.plan")
           if f" for {report.LINKED}\n" in p.read_text()}
assert written
with tempfile.TemporaryDirectory() as folder:
    for name, spectrums in report.PROGRAMS.items():
        for spectrum, (arguments, sizes) in spectrums.items():
            plans = {stem for stem, of in written.items() if of == spectrum}
            if not plans:
                continue
            search = report.Search(driver, report.LINKED, folder, 1, 1)
            libraries = search.libraries(name, spectrum, arguments, sizes)
            assert search.failures == [], search.failures
            assert plans | {"drawn", "told"} == {library.parts[-4] for library in libraries}, libraries
            written = {stem: of for stem, of in written.items() if of != spectrum}
    assert not written, f"of no spectrum of a benchmark: {written}"
    search = report.Search(driver, report.LINKED, folder, 1, 1)
    assert search.libraries("reduce", "sum<nothing>", [], []) == [] and len(search.failures) == 1, search.failures
