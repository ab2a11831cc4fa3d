// Where local variables are declared once statements were moved.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::nest {

/// Each variable declared exactly once, in front of all that uses it: where a declaration stands in several places, or
/// not around all uses, it becomes an assignment, and the variable is declared in the innermost block around all of
/// them. Throws NotWritten where a variable cannot be declared elsewhere.
const ast::Block *placeDeclarations(ast::Arena &arena, const ast::Block *body);

} // namespace tangram::nest
