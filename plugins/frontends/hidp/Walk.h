// Goes through statements and expressions of a checked program.
#pragma once

#include "Program.h"

#include <functional>

namespace tangram::hidp {

enum class Use : std::uint8_t { Read, Write, ReadWrite };

/// What is read, written or passed, in the order of the text: each element and scalar with how it is used.
void uses(const Stmt &s, const std::function<void(const Expr &, Use)> &f);
void uses(const Stmts &stmts, const std::function<void(const Expr &, Use)> &f);

/// All statements, those in others included.
void statements(const Stmt &s, const std::function<void(const Stmt &)> &f);
bool any(const Stmts &stmts, const std::function<bool(const Stmt &)> &f);

/// What stands in an expression's place, given it with what its arguments became; null: itself.
using Rewrite = std::function<const Expr *(const Expr *)>;
const Expr *rewritten(const Expr *e, const Rewrite &f, Program &program);
const Stmt *rewritten(const Stmt *s, const Rewrite &f, Program &program);
Stmts rewritten(const Stmts &stmts, const Rewrite &f, Program &program);

/// With expressions in the place of variables.
using Replacement = std::map<const Variable *, const Expr *>;
const Expr *replaced(const Expr *e, const Replacement &r, Program &program);
const Stmt *replaced(const Stmt *s, const Replacement &r, Program &program);

/// A use of a variable as it is.
const Expr *reference(const Variable *v, Piece piece, Program &program);

} // namespace tangram::hidp
