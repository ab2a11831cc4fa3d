// Writes what a loop's iterations do with integers of four bytes in types that just hold them.
#pragma once

#include "Intervals.h"

#include "tangram/ast/Uniformity.h"

namespace tangram::integer_narrowing {

/// Of what `uniformity` says varies: what is the same for all iterations takes no vector.
const ast::Block *narrowed(ast::Arena &arena, const ast::Block *body, const ast::Uniformity &uniformity);

} // namespace tangram::integer_narrowing
