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
constexpr std::array<std::string_view, 6> kOther{"abs", "isfinite", "isinf", "isnan", "llabs", kReciprocalRoot};
// As tangram/runtime/float16.h has them.
constexpr std::array<std::string_view, 4> kHalf{"tangram_bf16_to_f32", "tangram_f16_to_f32", "tangram_f32_to_bf16",
                                                "tangram_f32_to_f16"};

bool has(auto &names, std::string_view name) { return std::binary_search(names.begin(), names.end(), name); }
} // namespace

bool isMathFunction(std::string_view name) {
  return has(kReal, name) || has(kOther, name) || isHalfConversion(name) ||
         (name.ends_with('f') && has(kReal, name.substr(0, name.size() - 1)));
}

std::string_view sineAndCosine(const Type &type) { return type == Type(Scalar::F32) ? "sincosf" : "sincos"; }
bool isSineAndCosine(std::string_view name) { return name == "sincos" || name == "sincosf"; }

std::string_view widening(const Type &half) { return half == Type(Scalar::BF16) ? kHalf[0] : kHalf[1]; }
std::string_view narrowing(const Type &half) { return half == Type(Scalar::BF16) ? kHalf[2] : kHalf[3]; }
bool isHalfConversion(std::string_view name) { return has(kHalf, name); }

} // namespace tangram::ast
