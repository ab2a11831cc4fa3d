// Functions that every backend knows: those of the C math library that codelets may call, by their C names, and
// conversions of numbers of 16 bits, which type-legalization makes.
#pragma once

#include "tangram/ast/Type.h"

#include <string_view>

namespace tangram::ast {

/// "sqrt", "sqrtf", "fmaxf", "abs", ...: double and float forms; and what is said below.
bool isMathFunction(std::string_view name);

/// "sincos" or "sincosf": of a number of this type, by two pointers, its sine and its cosine. The optimizer sincos
/// makes it.
std::string_view sineAndCosine(const Type &type);
bool isSineAndCosine(std::string_view name);

/// Of an f32, one by its square root, within 2 ulp. On devices only: the optimizer reciprocal-roots makes it.
inline constexpr std::string_view kReciprocalRoot = "rsqrtf";

/// From f16 or bf16, kept as the bits of a u16, to f32: "tangram_f16_to_f32". Exact.
std::string_view widening(const Type &half);
/// From f32 to the bits of f16 or bf16, rounded to nearest, ties to even: "tangram_f32_to_f16".
std::string_view narrowing(const Type &half);
/// Whether a name is one of these four.
bool isHalfConversion(std::string_view name);

} // namespace tangram::ast
