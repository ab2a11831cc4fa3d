# What the backend `llvm-cpu` makes is a library already, and not code that a project compiles.
message(FATAL_ERROR "tangram_add_kernels(${TANGRAM_KERNELS_TARGET}): the backend llvm-cpu makes libraries itself, for the "
  "machine at hand: `tangram compile --emit library`. Code that is part of a project is that of a target with openmp")
