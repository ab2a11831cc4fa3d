// Expressions below their casts, for who asks what is written and not in which type.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::nest {

inline const ast::Expr *withoutCasts(const ast::Expr *e) {
  while (const auto *cast = ast::dyn<ast::Cast>(e)) e = cast->operand;
  return e;
}

/// Whether no number that is in both types changes: bits are not cut off.
inline bool widens(const ast::Cast &cast) {
  const ast::Type &from = cast.operand->type;
  return from.isInteger() && cast.type.isInteger() && !cast.type.isBool() && cast.type.bytes() >= from.bytes();
}

inline const ast::Expr *withoutWidening(const ast::Expr *e) {
  for (const auto *cast = ast::dyn<ast::Cast>(e); cast && widens(*cast); cast = ast::dyn<ast::Cast>(e))
    e = cast->operand;
  return e;
}

} // namespace tangram::nest
