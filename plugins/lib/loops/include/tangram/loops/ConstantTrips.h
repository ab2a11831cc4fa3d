// Loops that have the same number of iterations wherever they begin: for (j = 2 * x - 1; j <= 2 * x + 1; ++j) has
// three.
#pragma once

#include "tangram/ast/Node.h"

#include <optional>

namespace tangram::loops {

/// Of a loop that declares a signed counter and adds one to it; bounds are sums of the same variables, which its body
/// leaves alone, and taken not to overflow. Nothing for others, for more than 256 iterations, and for none.
std::optional<ast::Int> constantTrips(const ast::For *loop);

} // namespace tangram::loops
