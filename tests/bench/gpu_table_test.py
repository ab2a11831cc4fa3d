"""The table of bench/gpu, of times that are written down.   usage: gpu_table_test.py BENCH-GPU"""
import contextlib, importlib.machinery, importlib.util, io, sys

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("gpu", sys.argv[1])
gpu = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu", loader))
loader.exec_module(gpu)


def table(**changes):
    row = dict(problem="spmv_banded", spectrum="spmv<double>", expected="row=1M value=16M", target="hw/nvidia-h200.yaml", bytes=2e9,
               flops=0, copy=4e12, peer={"name": "cusparseSpMV", "seconds": 1e-3}, picked={"plan": "a", "seconds": 4e-3},
               best={"plan": "b", "seconds": 1e-3}, timed=[{"plan": "a", "seconds": 4e-3}, {"plan": "b", "seconds": 1e-3}], plans=3)
    with contextlib.redirect_stdout(io.StringIO()) as said:
        gpu.show([row | changes])
    return said.getvalue()


said = table()
assert ["spmv_banded", "nvidia-h200", "picked", "4.0000", "500", "b", "0.12", "0.25"] in map(str.split, said.splitlines()), said
assert "2 of 3 plans timed, the best: b" in said and "peers: cusparseSpMV" in said, said
assert ("picked is 4.0x slower than the best; `tangram explain apps/spmv/spmv.tg.cpp --target hw/nvidia-h200.yaml --spectrum "
        "'spmv<double>' --expect row=1M --expect value=16M`") in said, said
assert "slower" not in table(picked={"plan": "a", "seconds": 2e-3})
assert "slower" not in table(picked={"plan": "a", "left-out": 3}) and "slower" not in table(best=None, timed=[])
said = table(flops=4e9)
assert ["spmv_banded", "nvidia-h200", "best", "1.0000", "4000", "f", "1.00"] in map(str.split, said.splitlines()), said
