#!/usr/bin/env bash
# Installs what is missing, builds everything and passes all tests. Safe to run again. `BUILD=folder` chooses the folder.
set -euo pipefail
cd "$(dirname "$0")"
BUILD=${BUILD:-build}
. .ci/dependencies.sh

echo "== 1/3 packages"
# shellcheck disable=SC2086
tangram_install $tangram_packages_build $tangram_packages_test $tangram_packages_opencl $tangram_packages_bench
echo "== 2/3 build ($BUILD)"
tangram_configure "$BUILD" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$BUILD"
echo "== 3/3 tests"
ctest --test-dir "$BUILD" -j "$(nproc)" --output-on-failure --no-tests=error "$@"
