// Which words mean something.
#pragma once

#include <string_view>

namespace tangram::hidp {

bool isKeyword(std::string_view word);  // of HiDP
bool isTypeWord(std::string_view word); // of C's types: unsigned, float
/// Names that the entry's C++ cannot have.
bool isWordOfCpp(std::string_view word);

/// Names of Tangram's language, in which kernels are written.
bool isWordOfTangram(std::string_view word);

} // namespace tangram::hidp
