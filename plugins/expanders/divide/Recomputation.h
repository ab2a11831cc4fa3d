// Scalars of an iteration computed where they are used.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::divide {

/// Without the scalars of a loop's iterations that keep their value, each use of which computes it: statements that
/// share nothing else may have loops of their own then. Null where there are none.
const ast::Codelet *withRecomputation(const ast::Codelet &codelet, const ast::For *loop, const ast::Module &module,
                                      ast::Arena &arena);

} // namespace tangram::divide
