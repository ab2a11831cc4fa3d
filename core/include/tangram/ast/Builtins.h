// Functions of the C math library that codelets may call: every backend knows them by their C names.
#pragma once

#include <string_view>

namespace tangram::ast {

/// "sqrt", "sqrtf", "fmaxf", "abs", ...: double and float forms.
bool isMathFunction(std::string_view name);

} // namespace tangram::ast
