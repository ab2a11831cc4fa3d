// Scalars that a block changes as scalars of their own, of which the value is known from there on.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::nest {

/// `int x = i + k; if (x < 0) x = 0; x /= 2; ...` as `int x = i + k; int x_1 = x < 0 ? 0 : x; int x_2 = x_1 / 2; ...`,
/// for what is changed by statements of the block that declares it (static single assignment, without joins). `module`:
/// of the functions that are expressions, as std::min is. The very same codelet where there is nothing of the kind.
const ast::Codelet *withAssignedOnce(const ast::Module &module, const ast::Codelet *codelet, ast::Arena &arena);

} // namespace tangram::nest
