"""The report of bench/gpu, of times that are written down.   usage: gpu_table_test.py BENCH-GPU"""
import importlib.machinery, importlib.util, sys

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("gpu", sys.argv[1])
gpu = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu", loader))
loader.exec_module(gpu)
figure = gpu.figure

PROGRAM = {"program": "spmv", "spectrum": "spmv<double>", "case": "spmv_banded", "plans": "7", "expected": ["row=1M", "value=16M"],
           "plan": "a@grid"}


def table(**changes):
    result = dict(problem="spmv_banded", bytes=2e9, flops=0, copy=4e12, peers=[{"name": "cusparseSpMV", "seconds": 1e-3}],
                  plans=[{"plan": "spmv<double> on nvidia-h200: a@grid", "seconds": 4e-3},
                         {"plan": "spmv<double> on nvidia-h200: b@grid", "seconds": 1e-3},
                         {"plan": "spmv<double> on nvidia-h200: c@grid", "left-out": 9}]) | changes
    return figure.table(figure.compare(gpu.report("hw/nvidia-h200.yaml", [(PROGRAM, gpu.candidates("spmv", result), result["copy"])])))


def rows(said):
    return [line.split() for line in said.splitlines()]


said = table()
assert ["spmv_banded", "tangram", "4.000", "0.25", "0.25", "0.12", "b"] in rows(said), said
assert ["spmv_banded", "cusparseSpMV", "1.000", "1.00", "0.50", "b"] in rows(said), said
assert ["spmv", "spmv<double>", "7", "a@grid", "(told", "of", "row=1M,", "value=16M)"] in rows(said), said
assert "picked is 4.0x slower than the best of 3 plans found:\n  b@grid" in said, said
assert ("`tangram explain apps/spmv/spmv.tg.cpp --target hw/nvidia-h200.yaml --spectrum 'spmv<double>' --expect row=1M "
        "--expect value=16M`") in said, said
picked = {"plan": "spmv<double> on nvidia-h200: a@grid", "seconds": 2e-3}
assert "none of 1 plans is faster than the picked one" in table(plans=[picked])
assert "slower" not in table(plans=[{"plan": picked["plan"], "left-out": 3}])
said = table(flops=4e9)
assert ["spmv_banded", "found", "1.000", "1.00", "1.00", "1.00", "f"] in rows(said), said
