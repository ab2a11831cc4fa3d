// Expressions and statements in Tangram's language.
#pragma once

#include "Program.h"
#include "Text.h"

namespace tangram::hidp {

/// `e`, in parentheses where it needs them as an operand.
void spell(const Expr *e, Text &out, bool operand = false);
std::string spelled(const Expr *e);

/// The start of a loop over a nest's iterations, its { included.
void spellLoop(const Loop &loop, Piece piece, Text &out);

/// Statements without calls of what works on arrays: loops as they are.
void spell(const Stmts &stmts, Text &out);

/// The value that a reduction starts from.
std::string neutral(Reducer op, const ast::Type &type);
/// The type that a reduction computes in.
ast::Type reducedType(const Reduction &reduction);

} // namespace tangram::hidp
