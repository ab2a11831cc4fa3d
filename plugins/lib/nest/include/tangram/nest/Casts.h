// Expressions below their casts, for who asks what is written and not in which type.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::nest {

inline const ast::Expr *withoutCasts(const ast::Expr *e) {
  while (const auto *cast = ast::dyn<ast::Cast>(e)) e = cast->operand;
  return e;
}

} // namespace tangram::nest
