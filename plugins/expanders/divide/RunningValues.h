// What a scalar around a loop holds in each iteration, in a variable of the iteration's own.
#pragma once

#include "tangram/ast/Names.h"

namespace tangram::divide {

/// Gives what a scalar around a loop holds in an iteration a variable of the iteration's own, for the statements beside
/// the one that changes it: `for (...) { sum += x[i]; y[i] = sum; }` as
/// `for (...) { sum += x[i]; const T sum_then = sum; y[i] = sum_then; }`.
/// Null where no scalar is changed by one statement of the loop, and read by others.
const ast::Codelet *withOwnRunningValues(const ast::Codelet &codelet, const ast::For *loop, ast::Names &names,
                                         ast::Arena &arena);

} // namespace tangram::divide
