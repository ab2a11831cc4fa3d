// Structural equality and hash. Source ranges do not count.
#pragma once

#include "tangram/ast/Node.h"

#include <cstdint>

namespace tangram::ast {

bool equal(const Node *a, const Node *b);
/// Whether a condition only holds where a number is none, x != x, or one of several: hardly ever.
bool holdsForNaNs(const Expr *condition);
/// Stable from run to run and machine to machine: plan files keep it.
std::uint64_t hash(const Node *node);

} // namespace tangram::ast
