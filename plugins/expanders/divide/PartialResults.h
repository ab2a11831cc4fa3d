// What a loop that data ends adds up in a scalar of before it, in one of its own first.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::divide {

/// while (...) { ... count += e; ... }   in a loop, as   T own = 0; while (...) { ... own += e; ... } count += own;
///
/// where all that it does with the scalar is to update it by one operator, and so of a loop that is left early: a nest
/// takes such a loop as a whole, and sees an update behind it then, which the loop around may do in any order. Of whole
/// numbers and truth values; with `reorder` also sums that round. The very same codelet where there are none.
const ast::Codelet *withPartialResults(const ast::Module &module, const ast::Codelet *codelet, bool reorder,
                                       ast::Arena &arena);

} // namespace tangram::divide
