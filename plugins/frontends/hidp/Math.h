// Functions of C's library that expressions may call.
#pragma once

#include "tangram/ast/Type.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tangram::hidp {

struct MathFunction {
  std::string name;
  unsigned arity = 1;
  bool real = true; // of integers it computes in double; else in what its arguments have in common
};

std::optional<MathFunction> mathFunction(std::string_view name);
inline bool isMathFunction(std::string_view name) { return mathFunction(name).has_value(); }
std::vector<std::string> mathFunctions();

} // namespace tangram::hidp
