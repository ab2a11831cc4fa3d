// Loops in a loop that turn as often in each of its iterations, wherever they begin.
#pragma once

#include "tangram/ast/Names.h"
#include "tangram/ast/Node.h"

namespace tangram::loops {

/// The loop with   for (x = i - r; x <= i + r; ++x) S(x)   in it as   for (t = 0; t < 2 * r + 1; ++t) { x = i - r + t;
/// S(x) } where i is its own counter: lanes that each have an iteration are in such a loop together, at places side by
/// side. Of signed numbers, which do not wrap around.
const ast::Loop *withUniformTrips(ast::Arena &arena, ast::Names &names, const ast::Loop &loop);

} // namespace tangram::loops
