// What both ways of a branch set, as one assignment.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::nest {

/// `if (c) x[i] = a; else x[i] = x[i - 1] + b;` as `x[i] = c ? a : x[i - 1] + b;`, where one of the values is computed
/// of an element that an earlier iteration of the loop that `c` asks about stores: a recurrence (StoredElements.h), of
/// which each iteration stores to one element then (conversion of control dependences to data dependences: J. Allen and
/// others, 1983). The same of scalars. The very same codelet
/// where there is nothing of the kind. `module`: of the functions that are called.
const ast::Codelet *withMergedStores(const ast::Module &module, const ast::Codelet *codelet, ast::Arena &arena);

} // namespace tangram::nest
