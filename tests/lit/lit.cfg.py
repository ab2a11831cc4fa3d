import os

import lit.formats

config.name = "Tangram"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".test", ".cpp", ".ast", ".yaml", ".plan"]
config.excludes = ["Inputs", "CMakeLists.txt"]
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

for name in ("TANGRAM_HW_PATH", "TANGRAM_PLUGIN_PATH", "TANGRAM_CRASH_IN"):
    config.environment.pop(name, None)
# Tests run side by side and compile little.
config.environment["OMP_NUM_THREADS"] = "2"
for name in ("HOME", "CCACHE_DIR", "TMPDIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
