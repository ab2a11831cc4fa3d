# What code that the backend `openmp` wrote is compiled and linked with.
find_package(OpenMP REQUIRED COMPONENTS CXX)
target_link_libraries(${TANGRAM_KERNELS_TARGET} PUBLIC OpenMP::OpenMP_CXX)
# For the machine that builds it, as `tangram compile` does. Several files may be linked into one program, so none of
# them exports the table of kernels.
target_compile_options(${TANGRAM_KERNELS_TARGET} PRIVATE
  $<$<COMPILE_LANGUAGE:CXX>:-march=native> $<$<CONFIG:>:-O3> $<$<CONFIG:Release>:-O3> $<$<CONFIG:RelWithDebInfo>:-O3>)
target_compile_definitions(${TANGRAM_KERNELS_TARGET} PRIVATE TANGRAM_NO_KERNEL_TABLE)
