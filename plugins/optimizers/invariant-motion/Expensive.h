// What a loop computes anew in each iteration though it does not change, and takes a processor long: functions of the
// math library, quotients. The rest of such an expression compilers of output languages move by themselves.
#pragma once

#include "tangram/ast/Names.h"
#include "tangram/ast/Node.h"

#include <functional>
#include <vector>

namespace tangram::invariant {

/// The body with variables in place of the largest expensive expressions that are `invariant`; their declarations are
/// appended to `moved`. With `reciprocals`, quotients of `f32` and `f64` by what is invariant are products with its
/// reciprocal (InvariantDivisors.h).
const ast::Block *withoutExpensive(ast::Arena &arena, ast::Names &names, const ast::Block *body,
                                   const std::function<bool(const ast::Expr *)> &invariant, bool reciprocals,
                                   std::vector<const ast::Stmt *> &moved);

} // namespace tangram::invariant
