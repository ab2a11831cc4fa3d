# What code that the backend `openmp` wrote is compiled and linked with.
find_package(OpenMP REQUIRED COMPONENTS CXX)
target_link_libraries(${TANGRAM_KERNELS_TARGET} PUBLIC OpenMP::OpenMP_CXX)
# As `tangram compile --emit library` does: by default optimised for the machine that builds it. Several files may be
# linked into one program, so none of them exports the table of kernels.
target_compile_options(${TANGRAM_KERNELS_TARGET} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:@${TANGRAM_KERNELS_FLAGS}>)
target_compile_definitions(${TANGRAM_KERNELS_TARGET} PRIVATE TANGRAM_NO_KERNEL_TABLE)
