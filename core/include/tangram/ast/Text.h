// The textual form of the AST. It parses back to an equal tree.
//
//   (Binary i32 add (VarRef i32 "accum") (IntLit i32 1))
//
// A node is its kind, its type if it is an expression, and its fields in the order of Nodes.def: attributes
// as words, numbers or quoted text, children in parentheses, an absent child as `-`, a list in brackets.
// With locations, `@"file":line:column-line:column` follows the kind.
#pragma once

#include "tangram/ast/Node.h"

#include <string>
#include <string_view>

namespace tangram::ast {

struct PrintOptions {
  bool locations = false;
};

/// Indented text, a line per statement or declaration.
std::string print(const Node *node, PrintOptions options = {});

/// Reads what print() wrote. On bad text throws DiagnosticError (user error) with line and column; `name` is
/// what to call the text in it.
const Node *parse(std::string_view text, Arena &arena, std::string_view name = "<ast>");

} // namespace tangram::ast
