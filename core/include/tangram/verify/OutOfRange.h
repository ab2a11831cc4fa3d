// What checked code says of an access out of range, as an error at the place in the program.
#pragma once

#include "tangram/diag/Diagnostic.h"

namespace tangram::runtime {

/// `message`: of an entry that returned TANGRAM_OUT_OF_RANGE, "file:line:column: what". `advice`: of IndexArguments.h.
[[noreturn]] void failOutOfRange(const std::string &message, const std::string &advice = "");

} // namespace tangram::runtime
