// Loops that end at the first iteration where a condition holds.
#pragma once

#include "tangram/ast/Node.h"

#include <string>
#include <vector>

namespace tangram::nest {

/// for (i = 0; i < n; ++i) { P; if (c) { S; break; } }   as
///
///   first = n;
///   for (i = 0; i < n; ++i) { P; if (c) if (i < first) first = i; }
///   if (first < n) { i = first; P; if (c) S }
///
/// where P, and what decides, changes nothing but an iteration's own scalars: a minimum of numbers of iterations, and
/// what that one does. So are loops that a `return` leaves, which becomes the way of a branch, a `while` that counts to
/// a bound as long as something else holds, and a loop that sets a flag which its condition asks. All iterations are
/// done: an iteration behind the first match must not reach beyond a container, so that no index is loaded data. The
/// very same codelet where there are none.
const ast::Codelet *withSearches(const ast::Codelet *codelet, const ast::Module &module, ast::Arena &arena);

/// What a loop repeats one iteration after the other, with an iterator that grows: where it does nothing but look for
/// the first number of a search, it ends there.
std::vector<const ast::Stmt *> endingAtFirst(const std::vector<const ast::Stmt *> &body, const std::string &iterator,
                                             ast::Arena &arena);
/// The same of loops in statements.
std::vector<const ast::Stmt *> withSearchesEnding(const std::vector<const ast::Stmt *> &stmts, ast::Arena &arena);

} // namespace tangram::nest
