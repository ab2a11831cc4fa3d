// Conditions that tell the first iteration of a loop from all behind it.
#pragma once

#include "tangram/nest/Nest.h"

namespace tangram::nest {

/// True of a condition that holds in the first iteration of the loop alone, `i == begin`, `i < 1`; false of one that
/// holds in all behind it, `i > begin`, `i != 0`. Nothing of others.
std::optional<bool> isOfFirst(const ast::Expr *cond, const ast::For &loop);
/// The way of a conditional expression that is taken in all iterations but the first one; null: there is none.
const ast::Expr *laterWay(const ast::Conditional &choice, const ast::For &loop);
/// The other one of the two.
inline const ast::Expr *otherWay(const ast::Conditional &choice, const ast::Expr *way) {
  return way == choice.then ? choice.otherwise : choice.then;
}

} // namespace tangram::nest
