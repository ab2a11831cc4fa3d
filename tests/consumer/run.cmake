# Run by ctest, see CMakeLists.txt. Every step must succeed, and nothing may be taken from Tangram's source or build
# tree: the project is a copy elsewhere, the environment names no folders, and what the driver uses must be installed.
cmake_minimum_required(VERSION 3.24)

set(prefix ${WORK}/prefix)
set(project ${WORK}/project)
set(build ${WORK}/build)
foreach(name TANGRAM_HW_PATH TANGRAM_PLUGIN_PATH CMAKE_PREFIX_PATH Tangram_DIR Tangram_ROOT CPATH)
  unset(ENV{${name}})
endforeach()

# run(WHAT COMMAND...): fails with the output where it fails; else the output is in ${said}.
function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${what}: exit code ${code}\n${out}")
  endif()
  message(STATUS "${what}: done")
  set(said "${out}" PARENT_SCOPE)
endfunction()

function(must_say what pattern)
  if(NOT said MATCHES "${pattern}")
    message(FATAL_ERROR "${what}: does not say '${pattern}':\n${said}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run("install" ${CMAKE_COMMAND} --install ${TANGRAM_BUILD} --prefix ${prefix})
# What finds the package must not lead back.
file(GLOB_RECURSE texts ${prefix}/*.cmake ${prefix}/*.h ${prefix}/*.yaml)
foreach(file ${texts})
  file(READ ${file} text)
  foreach(tree ${SOURCE_TREE} ${TANGRAM_BUILD})
    string(REPLACE "${prefix}" "" text "${text}") # it lies in the build tree itself
    string(FIND "${text}" "${tree}/" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "installed file ${file} names ${tree}")
    endif()
  endforeach()
endforeach()

file(COPY ${PROJECT}/ DESTINATION ${project})
run("configure" ${CMAKE_COMMAND} -S ${project} -B ${build} -G ${GENERATOR} -D CMAKE_BUILD_TYPE=Release
  -D CMAKE_CXX_COMPILER=${CXX} "-DCMAKE_CXX_FLAGS=${FLAGS} -Wall -Wextra -Werror" -D CMAKE_PREFIX_PATH=${prefix})
must_say("configure" "Tangram ${prefix}/")
run("build" ${CMAKE_COMMAND} --build ${build})
foreach(target few-threads cpu-simple)
  run("program for ${target}" ${build}/consumer-${target})
  must_say("program for ${target}" "refused: .*in.size\\(\\) == out.size\\(\\).*all kernels agree")
endforeach()

run("program for several targets" ${build}/consumer-both)
must_say("program for several targets" "three targets agree; compiled with two words")

run("checked program" ${build}/consumer-checked)
must_say("checked program" "refused: .*careless.tg.cpp:6:[0-9]+: .*reads element -1 of 'in', which has 3")

# The heuristic of the project's own, by the installed driver: listed, chosen by name, chosen by a target of its own.
set(tangram ${prefix}/bin/tangram)
set(plugins ${build}/heuristic)
run("plugins" ${tangram} plugins --json --plugin-path ${plugins})
must_say("plugins" "\"path\": \"${plugins}/libtangram-narrowest.so\"")
string(REGEX MATCHALL "\"path\": \"[^\"]*\"" paths "${said}")
foreach(path ${paths})
  if(NOT path MATCHES "\"(${prefix}|${plugins})/")
    message(FATAL_ERROR "a plugin that is not installed is loaded: ${path}")
  endif()
endforeach()
run("targets" ${tangram} targets --json)
must_say("targets" "\"path\": \"${prefix}/share/tangram/hw/cpu-openmp.yaml\"")
run("heuristics" ${tangram} heuristics narrowest --plugin-path ${plugins})
must_say("heuristics" "narrowest \\(plugin narrowest\\)")
must_say("heuristics" "map-cost")

set(source ${project}/kernels/energy.tg.cpp)
run("default plan" ${tangram} compile ${source} --target cpu-openmp --emit plan)
must_say("default plan" "to thread")
foreach(choice "--target;cpu-openmp;--heuristic;narrowest" "--target;${project}/narrow.yaml")
  run("plan by ${choice}" ${tangram} compile ${source} ${choice} --plugin-path ${plugins} --emit plan)
  if(said MATCHES "distribute")
    message(FATAL_ERROR "the heuristic of the project's own was not followed (${choice}):\n${said}")
  endif()
endforeach()
run("run" ${tangram} run ${source} --target ${project}/narrow.yaml --plugin-path ${plugins} --arg in=random:10007
  --arg scale=2)
run("verify" ${tangram} verify ${source} --target ${project}/narrow.yaml --plugin-path ${plugins} --sizes 0,1,31
  --sample 4)

# A target that names the heuristic without the folder it is in: an error that says so, not a crash.
execute_process(COMMAND ${tangram} compile ${source} --target ${project}/narrow.yaml --emit plan
  RESULT_VARIABLE code ERROR_VARIABLE said OUTPUT_QUIET)
if(NOT code EQUAL 1)
  message(FATAL_ERROR "without its plugin: exit code ${code}, not 1\n${said}")
endif()
must_say("without its plugin" "narrow.yaml:[0-9]+:[0-9]+: error: there is no heuristic 'narrowest'")

# The program that `tangram new app` makes finds the build tree, too, by tangram being on the path.
set(ENV{PATH} "${TANGRAM_BUILD}/bin:$ENV{PATH}")
run("new app" ${CMAKE_COMMAND} -E chdir ${WORK} tangram new app scaffold)
run("configure scaffold" ${CMAKE_COMMAND} -S ${WORK}/scaffold -B ${WORK}/scaffold/build -G ${GENERATOR}
  -D CMAKE_CXX_COMPILER=${CXX} "-DCMAKE_CXX_FLAGS=${FLAGS} -Wall -Wextra -Werror")
run("build scaffold" ${CMAKE_COMMAND} --build ${WORK}/scaffold/build)
run("run scaffold" ${WORK}/scaffold/build/scaffold)
must_say("run scaffold" "^70")
