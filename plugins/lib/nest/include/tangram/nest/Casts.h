// Casts that change no number.
#pragma once

#include "tangram/ast/Casts.h"

namespace tangram::nest {

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
