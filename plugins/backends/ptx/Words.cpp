// Words of the C++ that launches the code: PTX has names in a space of its own.
#include "Backend.h"

#include "tangram/c-family/Words.h"

namespace tangram::ptx {

bool isReserved(std::string_view word) {
  static const c_family::Words driver{{}, {"CUDA_", "CU_"}, {"cu", "CU"}};
  return c_family::isWordOfCpp(word) || driver.contains(word);
}

} // namespace tangram::ptx
