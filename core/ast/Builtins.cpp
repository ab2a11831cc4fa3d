#include "tangram/ast/Builtins.h"

#include <algorithm>
#include <array>

namespace tangram::ast {
namespace {
// Sorted. Each has a float form with an f behind it.
constexpr std::array<std::string_view, 40> kReal{
    "acos", "acosh", "asin",  "asinh", "atan",  "atan2",  "atanh", "cbrt",  "ceil",   "copysign",
    "cos",  "cosh",  "erf",   "erfc",  "exp",   "exp2",   "expm1", "fabs",  "fdim",   "floor",
    "fma",  "fmax",  "fmin",  "fmod",  "hypot", "lgamma", "log",   "log10", "log1p",  "log2",
    "pow",  "rint",  "round", "sin",   "sinh",  "sqrt",   "tan",   "tanh",  "tgamma", "trunc"};
constexpr std::array<std::string_view, 5> kOther{"abs", "isfinite", "isinf", "isnan", "llabs"};

bool has(auto &names, std::string_view name) { return std::binary_search(names.begin(), names.end(), name); }
} // namespace

bool isMathFunction(std::string_view name) {
  return has(kReal, name) || has(kOther, name) || (name.ends_with('f') && has(kReal, name.substr(0, name.size() - 1)));
}

} // namespace tangram::ast
