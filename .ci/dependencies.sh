# Installs what Tangram needs and this machine lacks, from the distribution's packages, and configures a build. Sourced by
# quickstart.sh, test.sh and .ci/sanitize; run twice it finds nothing left to do. Debian 12 and Ubuntu 24.04.

tangram_packages_build="g++ cmake ninja-build ccache
  clang-19 libclang-19-dev llvm-19-dev liblld-19-dev libgomp1
  libboost-dev libboost-filesystem-dev libboost-system-dev libisl-dev libyaml-cpp-dev libfmt-dev nlohmann-json3-dev libcli11-dev
  libsqlite3-dev libeigen3-dev"
tangram_packages_test="libgtest-dev libgmock-dev llvm-19-tools clang-format-19 clang-tidy-19 clangd-19 libomp-19-dev
  libclang-rt-19-dev python3 python3-yaml libtbb-dev clinfo oclgrind"
tangram_packages_opencl="opencl-headers ocl-icd-opencl-dev pocl-opencl-icd"
tangram_packages_bench="libbenchmark-dev libtbb-dev libopenblas-dev libeigen3-dev"

tangram_install() { # tangram_install PACKAGE...
  local missing="" p
  for p in "$@"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
  done
  [ -n "$missing" ] || return 0
  echo "== installing:$missing"
  command -v apt-get >/dev/null || {
    echo "error: this needs apt-get (Debian 12 or Ubuntu 24.04); on another system install the like of:$missing" >&2
    return 1
  }
  local sudo=""
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "error: run as root, or install sudo, or install by hand:$missing" >&2; return 1; }
    sudo=sudo
  fi
  $sudo apt-get update -qq || { echo "error: 'apt-get update' failed; check the network and /etc/apt" >&2; return 1; }
  # shellcheck disable=SC2086
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/tmp/tangram-apt.$$.log 2>&1 || {
    tail -5 /tmp/tangram-apt.$$.log >&2
    echo "error: apt-get could not install:$missing" >&2
    echo "       (Ubuntu 24.04: enable the 'universe' component first)" >&2
    return 1
  }
  rm -f /tmp/tangram-apt.$$.log
}

tangram_configure() { # tangram_configure FOLDER OPTION...
  # A whole build takes a third of the time where a unit is a dozen files; who edits files configures without.
  local folder=$1 unity=""
  shift
  [ -f "$folder/CMakeCache.txt" ] || unity="-DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12"
  # shellcheck disable=SC2086
  cmake -S . -B "$folder" -G Ninja $unity "$@"
}
