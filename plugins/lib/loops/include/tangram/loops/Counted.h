// Loops that count up to a bound, by steps, neither of which they change.
#pragma once

#include "tangram/ast/Build.h"

#include <optional>
#include <set>
#include <string>

namespace tangram::loops {

struct Counted {
  const ast::Stmt *loop = nullptr;
  std::string variable;
  ast::Type type;
  const ast::Expr *begin = nullptr; // null: the variable is declared in front of the loop, and lives on behind it
  const ast::Expr *end = nullptr, *step = nullptr;
  const ast::Block *body = nullptr;
};

/// A serial loop whose iterations one worker does by itself, and that ends by its condition alone; nothing for others.
std::optional<Counted> counted(ast::Arena &arena, const ast::Stmt *s);

/// Whether a loop from `begin` goes on where another one has ended, which has left few iterations. `assigned`:
/// variables that the kernel changes.
bool goesOn(const ast::Expr *begin, const std::set<std::string> &assigned);

} // namespace tangram::loops
