// Conditions of loops where other passes look for them.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::loop_normalization {

/// for (...;; ...) { const n = min(i + r, end); if (!(x <= n)) break; S }, which is what the condition becomes that
/// calls a function, as   const n = min(i + r, end); for (...; x <= n; ...) S.   What the loop changes is put into the
/// condition itself.
const ast::Kernel *withConditionsInHeaders(ast::Arena &arena, const ast::Kernel *kernel);

} // namespace tangram::loop_normalization
