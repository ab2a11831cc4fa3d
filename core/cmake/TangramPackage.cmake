# What `cmake --install` puts where, so that find_package(Tangram) works. Plugins and targets install themselves. The build
# tree is laid out alike, and is found as well: by its folder in CMAKE_PREFIX_PATH, or its bin on the PATH.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Tangram)
install(TARGETS tangram-core tangram-process tangram-planning tangram-session tangram-verify tangram-tune EXPORT TangramTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT TangramTargets NAMESPACE Tangram:: DESTINATION ${package_folder})
install(DIRECTORY include/ ${CMAKE_CURRENT_BINARY_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def")

configure_package_config_file(cmake/TangramConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/TangramConfig.cmake
  INSTALL_DESTINATION ${package_folder}
  PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/TangramConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/TangramConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/TangramConfigVersion.cmake
  cmake/TangramPlugin.cmake
  cmake/TangramKernels.cmake
  DESTINATION ${package_folder})

set(build_package ${CMAKE_BINARY_DIR}/lib/cmake/Tangram)
export(EXPORT TangramTargets NAMESPACE Tangram:: FILE ${build_package}/TangramTargets.cmake)
set(CMAKE_INSTALL_BINDIR bin)
set(CMAKE_INSTALL_DATADIR share)
configure_package_config_file(cmake/TangramConfig.cmake.in ${build_package}/TangramConfig.cmake
  INSTALL_DESTINATION lib/cmake/Tangram INSTALL_PREFIX ${CMAKE_BINARY_DIR}
  PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_DATADIR)
file(COPY_FILE ${CMAKE_CURRENT_BINARY_DIR}/TangramConfigVersion.cmake ${build_package}/TangramConfigVersion.cmake)
foreach(file TangramPlugin TangramKernels)
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/cmake/${file}.cmake ${build_package}/${file}.cmake SYMBOLIC)
endforeach()
