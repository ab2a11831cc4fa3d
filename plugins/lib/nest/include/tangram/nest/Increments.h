// Increments within expressions as statements of their own.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::nest {

/// `out[n++] = e;` as `out[n] = e; ++n;`, and `if (++n > most) ...` as `++n; if (n > most) ...`, where nothing else of
/// the statement, or of the condition, has to do with n; the very same codelet where there is nothing of the kind.
const ast::Codelet *withIncrementsApart(const ast::Codelet *codelet, ast::Arena &arena);

} // namespace tangram::nest
