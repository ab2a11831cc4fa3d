// Types of C: their names, and what operators make of them.
#pragma once

#include "tangram/ast/Type.h"

#include <optional>
#include <string>
#include <string_view>

namespace tangram::hidp {

/// Of C's words with one blank between them, in any order that C has: "unsigned long int". Nothing for others.
std::optional<ast::Type> builtinType(std::string_view words);

/// As C++ spells it.
std::string spelled(const ast::Type &type);

/// The type that C converts both operands of + to.
ast::Type common(const ast::Type &a, const ast::Type &b);
/// What an integer is computed in: int at least.
ast::Type promoted(const ast::Type &type);

/// Of a number as C writes it; nothing where it is none.
std::optional<ast::Type> literalType(std::string_view text);

} // namespace tangram::hidp
