import os
import shutil
import subprocess

import lit.formats

config.name = "Tangram"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".test", ".cpp", ".ast", ".yaml", ".plan"]
config.excludes = ["Inputs", "CMakeLists.txt"]
if config.sanitized:
    # `UNSUPPORTED: sanitized`: a test that waits for compilers or budgets. What it is about has unit tests, which run with
    # sanitizers.
    config.available_features.add("sanitized")
    # What code looks like, and how it runs: each pass and backend has unit tests, which run with sanitizers as well.
    config.excludes += ["backends", "device", "golden"]
config.test_source_root = os.path.dirname(__file__)

# lit replaces textually, in this order.
config.substitutions += [
    ("%tangram", os.path.join(config.build_dir, "bin", "tangram")),
    ("%FileCheck", config.file_check),
    ("%not", config.llvm_not),
    ("%python", config.python),
    ("%cxx", config.cxx),
    ("%source", config.source_dir),
    ("%build", config.build_dir),
]

for name in ("TANGRAM_HW_PATH", "TANGRAM_PLUGIN_PATH", "TANGRAM_CRASH_IN", "TANGRAM_OPENCL_DEVICE", "TANGRAM_CHECKED"):
    config.environment.pop(name, None)
# Tests run side by side and compile little.
config.environment["OMP_NUM_THREADS"] = "2"
config.environment["TANGRAM_VERIFY_PROPERTIES"] = "1"
config.environment["TANGRAM_CACHE"] = os.path.join(config.build_dir, "cache")
for name in ("HOME", "CCACHE_DIR", "TMPDIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]


def feature(name, there, missing):
    """Tests that say `REQUIRES: name` are left out where it is missing."""
    if there:
        config.available_features.add(name)
    else:
        lit_config.note(f"tests of '{name}' are left out: {missing}")


for backend in ("cuda", "llvm-cpu", "opencl", "ptx"):
    plugin = os.path.join(config.build_dir, "lib", "tangram", "plugins", f"libtangram-{backend}.so")
    feature(backend, os.path.exists(plugin), "the backend was not built; CMake says why")
plugin = os.path.join(config.build_dir, "lib", "tangram", "plugins", "libtangram-divide.so")
feature("divide", os.path.exists(plugin), "the expander was not built; CMake says why")
plugin = os.path.join(config.build_dir, "lib", "tangram", "plugins", "libtangram-tile.so")
feature("tile", os.path.exists(plugin), "the expander was not built; CMake says why")
plugin = os.path.join(config.build_dir, "lib", "tangram", "plugins", "libtangram-frontend-tilek.so")
feature("tilek", os.path.exists(plugin), "the frontend was not built; CMake says why")
plugin = os.path.join(config.build_dir, "lib", "tangram", "plugins", "libtangram-frontend-hidp.so")
feature("hidp", os.path.exists(plugin), "the frontend was not built; CMake says why")
if "opencl" in config.available_features:
    detect = [os.path.join(config.build_dir, "bin", "tangram"), "targets", "--detect", "opencl-cpu"]
    found = subprocess.run(detect, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    feature("opencl-cpu", found, "there is no OpenCL device that is a CPU (Debian: pocl-opencl-icd)")
    feature("oclgrind", shutil.which("oclgrind"), "there is no oclgrind")
feature("nvcc", shutil.which("nvcc"), "there is no nvcc on the PATH")
toolkit = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
ptxas = shutil.which("ptxas") or shutil.which("ptxas", path=os.path.join(toolkit, "bin"))
feature("ptxas", ptxas, "there is no ptxas on the PATH, nor in a CUDA toolkit")
config.substitutions.append(("%ptxas", ptxas or "ptxas"))
libdevice = os.path.join(toolkit, "nvvm", "libdevice", "libdevice.10.bc")
feature("libdevice", os.path.exists(libdevice), "there is no libdevice.10.bc in a CUDA toolkit")
config.substitutions.append(("%libdevice", libdevice))
