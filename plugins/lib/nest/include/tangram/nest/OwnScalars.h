// Scalars that are declared around loops, as C used to have it, although each iteration has its own.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::nest {

/// The codelet with such scalars declared in the innermost loop that holds all their uses, where every iteration writes
/// them before it reads them. The same codelet where there are none.
const ast::Codelet *withOwnScalars(const ast::Module &module, const ast::Codelet &codelet, ast::Arena &arena);

} // namespace tangram::nest
