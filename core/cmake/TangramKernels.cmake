# tangram_add_kernels(TARGET SOURCES file.tg.cpp... TARGETS target...
#                     [LINKED file...] [SUFFIXED] [CHECKED] [SPECTRUMS spectrum...] [PLAN file] [OPTIONS option...] [DEPENDS file...])
#
# Compiles codelets with the tangram driver and makes a static library TARGET of the result, whose include folder has a
# header for each source: sum.tg.cpp is called by `#include "sum.h"`. Whoever links TARGET needs nothing else.
#
#   TARGETS    names of targets (`tangram targets`) or paths of target files. With several, the header of each lies in a
#              folder of the target's name, `#include "cpu-simple/sum.h"`, and each makes a library TARGET-cpu-simple;
#              TARGET itself stands for the first: a program links one of them, and calls the same names whichever it is.
#   LINKED     more files of each source's program, of any language: spectrums that it declares, codelets for its own
#   SUFFIXED   names end with that of the target, `sum_cpu_simple(...)`: one program can link several of the libraries, and
#              TARGET stands for all of them
#   CHECKED    an access out of its container's range is not done: the call ends with an error that says where it is. All
#              kernels of a project are so where the variable TANGRAM_CHECKED is true
#   SPECTRUMS  which spectrums to compile, where not all of the file
#   PLAN       a plan file to follow instead of choosing one
#   OPTIONS    more options of `tangram compile`, for each source; an --expect is for those that have the container
#   DEPENDS    more files that the result depends on; the sources, what they include in quotes, the plan, the target
#              file and tangram are known anyway
#
# What the code of a backend needs to be compiled and linked with says BACKEND.usage.cmake, which comes with the
# backend's plugin. It is included with TANGRAM_KERNELS_TARGET set to the library, and TANGRAM_KERNELS_FLAGS to a file that
# has, when the library is compiled, the flags that the target's backend is given in its YAML file, quoted, one a line:
# compilers read it as @FILE. A line `set(TANGRAM_KERNELS_SUFFIX .x)` in it says that the backend writes STEM.x instead of
# STEM.cpp.

# The file of a target.
function(_tangram_target_file name base result)
  if(name MATCHES "/|\\.ya?ml$")
    get_filename_component(file "${name}" ABSOLUTE BASE_DIR "${base}")
    set(files "${file}")
  else()
    string(REPLACE ":" ";" folders "$ENV{TANGRAM_HW_PATH}")
    if(DEFINED TANGRAM_HW_DIRECTORY) # an installed package
      list(APPEND folders ${TANGRAM_HW_DIRECTORY})
    else()
      list(APPEND folders ${Tangram_SOURCE_DIR}/hw)
    endif()
    list(TRANSFORM folders APPEND "/${name}.yaml" OUTPUT_VARIABLE files)
  endif()
  foreach(file ${files})
    if(EXISTS "${file}")
      set(${result} "${file}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "tangram_add_kernels: there is no target '${name}' (looked for ${files})")
endfunction()

# The backend that a target names, or that the target names which it extends. Target files are checked by the driver;
# this only reads one key of them, before there may be a driver.
function(_tangram_backend file result)
  foreach(step RANGE 16)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" text)
    string(REGEX REPLACE "(^|[ \t\n])#[^\n]*" "\\1" text "${text}")
    if(text MATCHES "backend:[ \t\n{]*(name:[ \t]*)?[\"']?([a-z][a-z0-9-]*)")
      set(${result} ${CMAKE_MATCH_2} PARENT_SCOPE)
      return()
    endif()
    if(NOT text MATCHES "(^|\n)[\"']?extends[\"']?:[ \t]*[\"']?([^\"'\n]*[^\"'\n \t])")
      break()
    endif()
    set(base "${CMAKE_MATCH_2}")
    get_filename_component(folder "${file}" DIRECTORY)
    _tangram_target_file("${base}" "${folder}" file)
  endforeach()
  message(FATAL_ERROR "tangram_add_kernels: target file ${file} names no backend: it is for plans only")
endfunction()

# BACKEND.usage.cmake; empty where the backend has none.
function(_tangram_usage_file backend result)
  get_property(files GLOBAL PROPERTY TANGRAM_BACKEND_USAGE)
  if(DEFINED TANGRAM_PACKAGE_DIRECTORY)
    file(GLOB files ${TANGRAM_PACKAGE_DIRECTORY}/*.usage.cmake)
  endif()
  set(${result} "" PARENT_SCOPE)
  foreach(file ${files})
    get_filename_component(name ${file} NAME)
    if(name STREQUAL "${backend}.usage.cmake")
      file(REAL_PATH ${file} file) # in a build tree's package it is a link
      set(${result} ${file} PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# The suffix of the sources that a backend writes.
function(_tangram_source_suffix backend result)
  set(${result} .cpp PARENT_SCOPE)
  _tangram_usage_file(${backend} file)
  if(file)
    file(READ ${file} text)
    if(text MATCHES "(^|\n)set\\(TANGRAM_KERNELS_SUFFIX ([.A-Za-z]+)\\)")
      set(${result} ${CMAKE_MATCH_2} PARENT_SCOPE)
    endif()
  endif()
endfunction()

function(_tangram_use_backend backend library flags)
  if(backend STREQUAL "none")
    message(FATAL_ERROR "tangram_add_kernels(${library}): the target has no backend: it is for plans only")
  endif()
  set(TANGRAM_KERNELS_TARGET ${library})
  set(TANGRAM_KERNELS_FLAGS ${flags})
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON) # what the library links must be known wherever it is linked
  _tangram_usage_file(${backend} file)
  if(file)
    include(${file})
  endif()
endfunction()

# The files that a source includes in quotes, and those that they include. Which these are is read when CMake runs, and
# CMake runs again when one of them changes.
function(_tangram_includes source result)
  set(found "")
  set(open ${source})
  while(open)
    list(POP_FRONT open file)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    get_filename_component(folder ${file} DIRECTORY)
    file(STRINGS ${file} lines REGEX "^[ \t]*#[ \t]*include[ \t]*\"[^\"]+\"")
    foreach(line ${lines})
      string(REGEX REPLACE "^[^\"]*\"([^\"]+)\".*" "\\1" name "${line}")
      get_filename_component(included "${name}" ABSOLUTE BASE_DIR ${folder})
      if(EXISTS ${included} AND NOT included IN_LIST found)
        list(APPEND found ${included})
        list(APPEND open ${included})
      endif()
    endforeach()
  endwhile()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

function(_tangram_add_library library target folder)
  file(MAKE_DIRECTORY ${folder})
  _tangram_target_file("${target}" ${CMAKE_CURRENT_SOURCE_DIR} file)
  _tangram_backend(${file} backend)

  set(tangram tangram)
  get_property(plugins GLOBAL PROPERTY TANGRAM_PLUGIN_TARGETS)
  set(target_argument ${target})
  if(target MATCHES "/|\\.ya?ml$")
    set(target_argument ${file})
  endif()
  if(DEFINED TANGRAM_EXECUTABLE)
    set(tangram ${TANGRAM_EXECUTABLE})
    set(plugins "")
  endif()
  set(options ${ARG_OPTIONS})
  if(ARG_SUFFIXED)
    get_filename_component(suffix ${target} NAME_WLE)
    string(MAKE_C_IDENTIFIER "_${suffix}" suffix)
    list(APPEND options --suffix ${suffix})
  endif()
  if(ARG_CHECKED OR TANGRAM_CHECKED)
    list(APPEND options --checked)
  endif()
  foreach(spectrum ${ARG_SPECTRUMS})
    list(APPEND options --spectrum ${spectrum})
  endforeach()
  if(ARG_PLAN)
    get_filename_component(plan "${ARG_PLAN}" ABSOLUTE)
    list(APPEND options --plan ${plan})
  endif()

  _tangram_source_suffix(${backend} suffix)
  set(flags ${folder}/compiler.flags)
  add_custom_command(
    OUTPUT ${flags}
    COMMAND ${tangram} targets --flags ${target_argument} -o ${flags}
    DEPENDS ${tangram} ${plugins} ${file}
    COMMENT "Looking up compiler flags of ${target}"
    VERBATIM)
  set(generated "")
  set(linked "")
  set(linked_includes "")
  foreach(more ${ARG_LINKED})
    get_filename_component(path ${more} ABSOLUTE)
    _tangram_includes(${path} included)
    list(APPEND linked ${path})
    list(APPEND linked_includes ${included})
  endforeach()
  foreach(source ${ARG_SOURCES})
    get_filename_component(path ${source} ABSOLUTE)
    if(NOT EXISTS ${path})
      message(FATAL_ERROR "tangram_add_kernels(${library}): there is no file ${path}")
    endif()
    _tangram_includes(${path} included)
    get_filename_component(stem ${source} NAME)
    string(REGEX REPLACE "(\\.(tg|tk))?\\.[A-Za-z]+$" "" stem ${stem})
    list(FIND generated ${folder}/${stem}${suffix} twice)
    if(NOT twice EQUAL -1)
      message(FATAL_ERROR "tangram_add_kernels(${library}): two sources are named ${stem}: their headers would clash")
    endif()
    set(also "") # what is expected of a container of one source is no mistake in the others
    if("--expect" IN_LIST ARG_OPTIONS OR "${ARG_OPTIONS}" MATCHES "--expect=")
      foreach(other ${ARG_SOURCES})
        get_filename_component(other_path ${other} ABSOLUTE)
        if(NOT other_path STREQUAL path)
          list(APPEND also --also ${other_path})
        endif()
      endforeach()
    endif()
    add_custom_command(
      OUTPUT ${folder}/${stem}${suffix} ${folder}/${stem}.h
      COMMAND ${tangram} compile ${path} ${linked} --target ${target_argument} ${options} ${also} --emit source -o ${folder} --stem ${stem}
      DEPENDS ${path} ${included} ${linked} ${linked_includes} ${tangram} ${plugins} ${file} ${plan} ${ARG_DEPENDS}
      COMMENT "Compiling codelets of ${stem} for ${target}"
      VERBATIM)
    list(APPEND generated ${folder}/${stem}${suffix})
  endforeach()

  add_library(${library} STATIC ${generated} ${flags})
  set_target_properties(${library} PROPERTIES UNITY_BUILD OFF) # each file defines what all of them need
  set_source_files_properties(${generated} PROPERTIES OBJECT_DEPENDS ${flags})
  target_compile_features(${library} PUBLIC cxx_std_20)
  set_target_properties(${library} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  # The runtime headers only: callers of kernels do not link the compiler.
  target_include_directories(${library} SYSTEM PUBLIC
    $<TARGET_PROPERTY:Tangram::core,INTERFACE_INCLUDE_DIRECTORIES>)
  _tangram_use_backend(${backend} ${library} ${flags})
endfunction()

function(tangram_add_kernels name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "SUFFIXED;CHECKED" "PLAN" "SOURCES;LINKED;SPECTRUMS;TARGETS;OPTIONS;DEPENDS")
  foreach(needed SOURCES TARGETS)
    if(NOT ARG_${needed})
      message(FATAL_ERROR "tangram_add_kernels(${name}): no ${needed} given")
    endif()
  endforeach()
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tangram_add_kernels(${name}): unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()

  set(root ${CMAKE_CURRENT_BINARY_DIR}/${name}.kernels)
  list(LENGTH ARG_TARGETS count)
  if(count EQUAL 1)
    _tangram_add_library(${name} ${ARG_TARGETS} ${root})
    target_include_directories(${name} PUBLIC ${root})
    return()
  endif()
  add_library(${name} INTERFACE)
  set(first ON)
  foreach(target ${ARG_TARGETS})
    get_filename_component(short ${target} NAME_WLE)
    _tangram_add_library(${name}-${short} ${target} ${root}/${short})
    target_include_directories(${name}-${short} PUBLIC ${root})
    if(first OR ARG_SUFFIXED)
      target_link_libraries(${name} INTERFACE ${name}-${short})
      set(first OFF)
    endif()
  endforeach()
endfunction()
