// Words of what the C++ is written in, and with.
#include "Backend.h"

#include "tangram/c-family/Words.h"

namespace tangram::openmp {

bool isReserved(std::string_view word) {
  static const c_family::Words openmp{{}, {"omp_", "ompx_", "GOMP_", "kmp_"}, {}};
  return c_family::isWordOfCpp(word) || openmp.contains(word);
}

} // namespace tangram::openmp
