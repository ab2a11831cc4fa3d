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

/// With expressions in the place of variables.
using Replacement = std::map<const Variable *, const Expr *>;
const Expr *replaced(const Expr *e, const Replacement &by, Program &program);
const Stmt *replaced(const Stmt *s, const Replacement &by, Program &program);
Stmts replaced(const Stmts &stmts, const Replacement &by, Program &program);

/// A use of a variable as it is.
const Expr *reference(const Variable *v, Piece piece, Program &program);

} // namespace tangram::hidp
