// Passes of loops that `continue` cuts short, as branches.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::nest {

/// `if (c) { S; continue; } R`, in a loop's body, as `if (c) { S } else { R }`, in branches of branches as well. Where
/// R follows a branch of which only a part continues, a flag says whether it did:
///
///   if (c) { if (d) { S; continue; } T } R   as   bool skipped = false;
///                                                 if (c) if (d) { S; skipped = true; } else T
///                                                 if (!skipped) R
///
/// Stays as it is: `if (c) continue;` where a counted loop has no other jumps, which nests read themselves; `while`
/// loops without loops in them; and what continues from within a switch. The very same codelet where there is nothing
/// else.
const ast::Codelet *withoutContinues(const ast::Codelet *codelet, ast::Arena &arena);

} // namespace tangram::nest
