// What one iteration of a loop loads, and the next one loads again.
//
// Source: D. Callahan, S. Carr and K. Kennedy, Improving register allocation for subscripted variables, 1990: scalar
// replacement of input dependences; here for a distance of one or two iterations.
#pragma once

#include "tangram/nest/Nest.h"

namespace tangram::nest {

/// Whether an access, in all iterations of a loop but the first ones, is of the element that `earlier` is of `distance`
/// iterations before; iterators of the loops inside are the same. Both in statements of the same loops.
bool followsInLaterIteration(const Nest &nest, const Access &access, const Access &earlier, unsigned loop,
                             unsigned distance = 1);

/// What stands in front of a statement: an `if`, or its `else`.
struct Condition {
  const ast::Expr *cond = nullptr;
  bool holds = true;
};

/// An element that each iteration of a loop loads, or has from another one for those that follow.
struct ReusedLoad {
  const ast::Subscript *element = nullptr;
  std::vector<Condition> conditions;          // it is loaded where all hold
  unsigned ahead = 0;                         // iterations until it is what `element` says; without places then
  std::vector<const ast::Subscript *> places; // where it is written
  std::optional<std::size_t> before;          // the load that had it in the iteration before; nothing: it comes anew
  bool unchanged = false;                     // the same element in all iterations, in each of which it is loaded
};

/// Of containers that the codelet writes nowhere, elements of which a value is used in more than one iteration of a
/// loop. All are loaded in each iteration, or in those that meet conditions which are affine (windows that end at a
/// border). None where they are more than a processor has registers for.
std::vector<ReusedLoad> reusedLoads(const Nest &nest, unsigned loop);

} // namespace tangram::nest
