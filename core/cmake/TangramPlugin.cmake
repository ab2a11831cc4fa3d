# tangram_add_plugin(NAME SOURCES file... [LIBRARIES lib...])
#
# Builds libtangram-NAME.so, a plugin that the driver loads. In Tangram's own tree it lands in the plugin folder of the
# build and is installed; in a project of yours it lands beside your targets: pass its folder with --plugin-path.
# OWN_HEADERS: it precompiles headers of its own, or has other flags than the tree's plugins have.
#
# A plugin's folder may hold two more things, which are found by name:
#   include/              public headers, installed with Tangram's own
#   BACKEND.usage.cmake   what code of a backend must be compiled and linked with; see TangramKernels.cmake
function(tangram_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "OWN_HEADERS" "" "SOURCES;LIBRARIES")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tangram_add_plugin(${name}): unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT name MATCHES "^[a-z][a-z0-9-]*$")
    message(FATAL_ERROR "tangram_add_plugin(${name}): a name is lower-case letters, digits and dashes")
  endif()
  if(NOT ARG_SOURCES)
    message(FATAL_ERROR "tangram_add_plugin(${name}): no SOURCES given")
  endif()
  add_library(tangram-${name} MODULE ${ARG_SOURCES})
  target_link_libraries(tangram-${name} PRIVATE Tangram::core ${ARG_LIBRARIES})
  set_target_properties(tangram-${name} PROPERTIES PREFIX lib)
  if(NOT DEFINED TANGRAM_PLUGIN_OUTPUT_DIRECTORY)
    return()
  endif()

  file(REMOVE ${TANGRAM_PLUGIN_OUTPUT_DIRECTORY}/libtangram-${name}.left-out)
  # A precompiled header is used again where the same macros are defined.
  set_target_properties(tangram-${name} PROPERTIES DEFINE_SYMBOL "")
  if(NOT ARG_OWN_HEADERS)
    target_precompile_headers(tangram-${name} REUSE_FROM tangram-plugin-headers)
  endif()
  set_target_properties(tangram-${name} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${TANGRAM_PLUGIN_OUTPUT_DIRECTORY}
    INSTALL_RPATH "$ORIGIN/../..")
  set_property(GLOBAL APPEND PROPERTY TANGRAM_PLUGIN_TARGETS tangram-${name})
  install(TARGETS tangram-${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tangram/plugins)
  if(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/include)
    install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
  endif()
  file(GLOB usage CONFIGURE_DEPENDS *.usage.cmake)
  if(usage)
    set_property(GLOBAL APPEND PROPERTY TANGRAM_BACKEND_USAGE ${usage})
    install(FILES ${usage} DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Tangram)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/lib/cmake/Tangram)
    foreach(path ${usage})
      cmake_path(GET path FILENAME file)
      file(CREATE_LINK ${path} ${CMAKE_BINARY_DIR}/lib/cmake/Tangram/${file} SYMBOLIC)
    endforeach()
  endif()
endfunction()

# tangram_leave_out(NAME WHY ADVICE)
#
# Says why the plugin NAME of Tangram's own tree is not built, and what to do to have it: when CMake runs, and where a
# target or command asks for it. One line each.
function(tangram_leave_out name why advice)
  message(STATUS "Plugin ${name} is left out: ${why}; ${advice}")
  set(file ${TANGRAM_PLUGIN_OUTPUT_DIRECTORY}/libtangram-${name}.left-out)
  file(WRITE ${file} "${why}\n${advice}\n")
  file(REMOVE ${TANGRAM_PLUGIN_OUTPUT_DIRECTORY}/libtangram-${name}.so) # of an earlier build
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/tangram/plugins)
endfunction()
