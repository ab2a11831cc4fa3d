// Scalars in which an iteration leaves for the next one what that can find out by itself.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::nest {

/// for (i = b; i < e; ++i) { ... before ...; before = x[i]; }   as
/// for (i = b; i < e; ++i) { const T own = i > b ? x[i - 1] : before; ... own ...; }
///
/// where nobody reads `before` behind the loop, and what it is set to follows from the iteration's number and from
/// elements that the loop does not write (forward substitution across iterations): the loop carries nothing then. Also
/// of several scalars that hand a value on from one to the other. The very same codelet where there are none.
const ast::Codelet *withPreviousValues(const ast::Codelet *codelet, ast::Arena &arena);

} // namespace tangram::nest
