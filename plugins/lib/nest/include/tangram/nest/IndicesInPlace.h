// Indices that are declared ahead, written where they are used.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::nest {

/// `const int x = min(max(i + k, 0), n - 1); ... a[x]` with `a[min(max(i + k, 0), n - 1)]`, where what it is computed
/// of is the same there, and an iterator is among it: so that what follows steps, windows and bounds of indices sees
/// these. The declaration stays for other uses. `module`: of the functions that are expressions. The very same codelet
/// where there is nothing of the kind.
const ast::Codelet *withIndicesInPlace(const ast::Module &module, const ast::Codelet *codelet, ast::Arena &arena);

} // namespace tangram::nest
