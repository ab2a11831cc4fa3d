// What the parts of the evaluator share: statements, what expressions do, values, containers, what calls touch.
#pragma once

#include "Evaluator.h"

#include "tangram/ast/Casts.h"

namespace tangram::races {

inline bool isNumber(const ast::Type &t) { return t.isInteger() && !t.isBool(); }
inline bool isNatural(const ast::Type &t) { return t.isInteger() && !t.isSigned(); }

/// The indices of a chain of subscripts and the fields on the way; the variable at its root, or null.
const ast::VarRef *chain(const ast::Expr *e, std::vector<const ast::Expr *> &indices, std::vector<std::string> &fields);

/// What a codelet knows of a parameter that is a range: its first number, and by how much more than one they grow.
struct RangeSymbols {
  Polynomial first, more;
};
RangeSymbols rangeSymbols(Symbols &symbols, const ast::Param &param);

/// first + step * index; nothing for what depends on the index in another way.
std::optional<Polynomial::Split> affine(Symbols &symbols, const std::optional<Polynomial> &fill);

struct Evaluator::Located {
  std::vector<Polynomial> index, facts;
  std::optional<Between> between;
  std::optional<std::pair<Polynomial, Polynomial>> whole;
};

} // namespace tangram::races
