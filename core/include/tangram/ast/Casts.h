// Expressions below their casts, for who asks what is written and not in which type.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::ast {

/// What is converted, however often; null of null.
inline const Expr *withoutCasts(const Expr *e) {
  while (const auto *cast = dyn<Cast>(e)) e = cast->operand;
  return e;
}

} // namespace tangram::ast
