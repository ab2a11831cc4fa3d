// Scalars that loops set to a constant where a condition holds.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::nest {

/// `if (c) found = true;` as `if (c) found = found || true;`, of a scalar of before the loop, which the loop does not
/// read and sets to that constant only: an update, that iterations may carry out in any order. `found |= e`, of truth
/// values, is found = e || found, and `inside = !inside` or `inside ^= e` is inside = e != inside. So are integers that
/// are nothing but 0 and one other number, by | and &. The very same codelet where there are none.
const ast::Codelet *withFlags(const ast::Codelet *codelet, ast::Arena &arena);

} // namespace tangram::nest
