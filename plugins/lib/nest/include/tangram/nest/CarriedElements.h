// Scalar replacement of what one iteration stores, and the rest of it or the next one reads.
//
// Source: S. Carr and K. Kennedy, Scalar replacement in the presence of conditional control flow, 1994; here for a
// distance of at most one iteration.
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::nest {

/// for (...) c[i] = f(c[i - 1]);   as   T last = c[begin - 1]; for (...) { last = f(last); c[i] = last; }   for
/// innermost loops of which each iteration stores to one element, and reads the one that the iteration before stored
/// to, or behind the store its own, c[i] = e; s += c[i]. What is read only behind the first iteration,
/// c[i] = i > 0 ? c[i - 1] + e : e, starts from nothing: last += e; so do floating-point numbers where `reorder` lets
/// sums round, and begin at a zero of either sign. The first value is what a statement in front of the
/// loop stores there, where it says so. The very same codelet where there is no such element.
const ast::Codelet *withCarriedElements(Nests &nests, const ast::Codelet *codelet, bool reorder, ast::Arena &arena);

} // namespace tangram::nest
