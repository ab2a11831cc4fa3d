// How wide the numbers are that a loop's iterations compute with.
#pragma once

#include "tangram/ast/Node.h"

#include <functional>

namespace tangram::loops {

/// Bytes of the widest number that is loaded, stored, or computed of what was loaded, where `varying` says of an
/// expression that it differs from iteration to iteration. What only says where elements lie does not count. 4 or more
/// where something else than numbers in memory is at work.
unsigned widestData(const ast::Block *body, const std::function<bool(const ast::Expr *)> &varying);

} // namespace tangram::loops
