// Differences of integers that are sums of the same variables: (2 * x + 1) - (2 * x - 1) is 2.
#pragma once

#include "tangram/ast/Node.h"

#include <optional>

namespace tangram::loop_normalization {

/// a - b, where it is the same number whatever their variables are. Both are signed, and taken not to overflow.
std::optional<ast::Int> difference(const ast::Expr *a, const ast::Expr *b);

} // namespace tangram::loop_normalization
