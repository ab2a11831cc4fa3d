// Calls of functions like min, max and clamp as what these return.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::loops {

/// What functions return that are an expression of whole numbers, in place of their calls: indices are made of that.
const ast::Block *withExtremes(ast::Arena &arena, const ast::Module &module, const ast::Block *body);

} // namespace tangram::loops
