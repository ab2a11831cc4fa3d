# What code that the backend `ptx` wrote is compiled and linked with. The driver is found when a kernel first runs.
find_package(Threads REQUIRED)
target_link_libraries(${TANGRAM_KERNELS_TARGET} PUBLIC Threads::Threads ${CMAKE_DL_LIBS})
# Its support headers: here in Tangram's own tree, among Tangram's headers where it is installed.
if(IS_DIRECTORY ${CMAKE_CURRENT_LIST_DIR}/include/tangram/ptx)
  target_include_directories(${TANGRAM_KERNELS_TARGET} SYSTEM PRIVATE ${CMAKE_CURRENT_LIST_DIR}/include)
endif()
# As `tangram compile --emit library` does.
target_compile_options(${TANGRAM_KERNELS_TARGET} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:@${TANGRAM_KERNELS_FLAGS}>)
# Several files may be linked into one program, so none of them exports the table of kernels.
target_compile_definitions(${TANGRAM_KERNELS_TARGET} PRIVATE TANGRAM_NO_KERNEL_TABLE)
