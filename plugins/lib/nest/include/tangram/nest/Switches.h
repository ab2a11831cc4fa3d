// Switches as branches.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::nest {

/// switch (v) { case 0: S; break; case 1: case 2: T; break; default: U }   in a loop as
///
///   if (v == 0) S else if (v == 1 || v == 2) T else U
///
/// so that what S, T and U accumulate, or leave, is seen. One that falls through from statements to a label, or is left
/// from within one, stays as it is. The very same codelet where there is none.
const ast::Codelet *withoutSwitches(const ast::Codelet *codelet, ast::Arena &arena);

} // namespace tangram::nest
