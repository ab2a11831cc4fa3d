# What code that the backend `cuda` wrote is compiled and linked with. Which devices it is compiled for says
# CMAKE_CUDA_ARCHITECTURES.
set(TANGRAM_KERNELS_SUFFIX .cu)
if(NOT CMAKE_CUDA_COMPILER)
  message(FATAL_ERROR "${TANGRAM_KERNELS_TARGET}: its target's backend writes CUDA; call enable_language(CUDA) first, "
                      "or add CUDA to the languages of project()")
endif()
find_package(CUDAToolkit REQUIRED)
target_link_libraries(${TANGRAM_KERNELS_TARGET} PUBLIC CUDA::cudart_static)
target_compile_features(${TANGRAM_KERNELS_TARGET} PRIVATE cuda_std_17)
# Its support headers: here in Tangram's own tree, among Tangram's headers where it is installed.
if(IS_DIRECTORY ${CMAKE_CURRENT_LIST_DIR}/include/tangram/cuda)
  target_include_directories(${TANGRAM_KERNELS_TARGET} SYSTEM PRIVATE ${CMAKE_CURRENT_LIST_DIR}/include)
endif()
# As `tangram compile --emit library` does.
target_compile_options(${TANGRAM_KERNELS_TARGET} PRIVATE
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:--options-file ${TANGRAM_KERNELS_FLAGS}>")
# Several files may be linked into one program, so none of them exports the table of kernels.
target_compile_definitions(${TANGRAM_KERNELS_TARGET} PRIVATE TANGRAM_NO_KERNEL_TABLE)
