#!/usr/bin/env bash
# Installs what is missing, builds Tangram, compiles the four sum codelets of apps/reduce/sum.tg.cpp for this machine's
# CPU and runs them on 16M integers. Safe to run again. `BUILD=folder` chooses the build folder.
set -euo pipefail
cd "$(dirname "$0")"
BUILD=${BUILD:-build}
. .ci/dependencies.sh

echo "== 1/4 packages"
# shellcheck disable=SC2086
tangram_install $tangram_packages_build
# shellcheck disable=SC2086
tangram_install $tangram_packages_opencl || echo "warning: without these there is no backend 'opencl'; the rest works" >&2
echo "== 2/4 configure ($BUILD)"
tangram_configure "$BUILD" -DCMAKE_BUILD_TYPE=Release >"$BUILD.configure.log" 2>&1 ||
  { tail -20 "$BUILD.configure.log"; echo "error: configuration failed; the whole log is $BUILD.configure.log" >&2; exit 1; }
rm -f "$BUILD.configure.log"
echo "== 3/4 build (some minutes the first time)"
cmake --build "$BUILD" --target quickstart
echo "== 4/4 sum of 16M integers"
"$BUILD/bin/tangram" run apps/reduce/sum.tg.cpp --target cpu-openmp --spectrum sum --arg in=random:16M
"$BUILD/bin/reduce" 16M
