#include "Math.h"

#include <algorithm>
#include <array>

namespace tangram::hidp {
namespace {

constexpr std::array<std::string_view, 28> kOne = {"acos",  "acosh", "asin",  "asinh", "atan",  "atanh", "cbrt",
                                                   "ceil",  "cos",   "cosh",  "erf",   "erfc",  "exp",   "exp2",
                                                   "expm1", "fabs",  "floor", "log",   "log10", "log1p", "log2",
                                                   "rint",  "round", "sin",   "sinh",  "sqrt",  "tan",   "tanh"};
constexpr std::array<std::string_view, 7> kTwo = {"atan2", "copysign", "fdim", "fmax", "fmin", "fmod", "pow"};

bool among(const auto &names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace

std::optional<MathFunction> mathFunction(std::string_view name) {
  if (among(kOne, name) || name == "trunc" || name == "tgamma" || name == "lgamma")
    return MathFunction{std::string(name), 1, true};
  if (among(kTwo, name) || name == "hypot") return MathFunction{std::string(name), 2, true};
  if (name == "fma") return MathFunction{"fma", 3, true};
  if (name == "abs") return MathFunction{"abs", 1, false};
  if (name == "min" || name == "max") return MathFunction{std::string(name), 2, false};
  return std::nullopt;
}

std::vector<std::string> mathFunctions() {
  std::vector<std::string> names = {"trunc", "tgamma", "lgamma", "hypot", "fma", "abs", "min", "max"};
  names.insert(names.end(), kOne.begin(), kOne.end());
  names.insert(names.end(), kTwo.begin(), kTwo.end());
  return names;
}

} // namespace tangram::hidp
