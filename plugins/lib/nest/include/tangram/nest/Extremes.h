// The least and greatest values of expressions over boxes of iterators.
#pragma once

#include "tangram/ast/Build.h"

#include <map>
#include <string>

namespace tangram::nest {

/// What a variable lies between.
struct Extent {
  const ast::Expr *least = nullptr, *greatest = nullptr;
};
using IteratorBox = std::map<std::string, Extent>;

enum class Extreme : bool { Least, Greatest };

/// The extreme value of an integer expression over a box of its variables, as an expression of their bounds: exact
/// where each variable occurs once, else a bound. Null where the expression is not seen to be monotone in each of them.
/// That it does not wrap around in the box is taken for granted.
const ast::Expr *extreme(const ast::Build &build, const ast::Expr *e, const IteratorBox &box, Extreme which);

/// A condition for conjunctions of comparisons: of `Some` one that holds wherever a point of the box meets it, of `All`
/// one under which all points do. Null where nothing is known.
enum class Quantifier : bool { Some, All };
const ast::Expr *holds(const ast::Build &build, const ast::Expr *condition, const IteratorBox &box, Quantifier which);

} // namespace tangram::nest
