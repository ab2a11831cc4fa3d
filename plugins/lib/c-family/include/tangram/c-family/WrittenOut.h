// Loops that are written without a loop, for what they go through is to be in registers.
#pragma once

#include "tangram/ast/KnownValues.h"

namespace tangram::c_family {

/// How often `for (i = A; i < B; ++i)` turns, where that is known and little, and it goes through some of these arrays:
/// a worker's own arrays are in registers where it goes through them without a loop.
std::optional<ast::Int> turnsThrough(const ast::KnownValues &known, const ast::For &loop,
                                     const std::set<std::string> &arrays);

/// Whether the variable of a loop says which element of one of these arrays is meant.
bool countsElements(const ast::For &loop, const std::set<std::string> &arrays);

/// Whether `for (i = A; i < B; ++i)` with loops in it is to be written out: it goes through some of these arrays, which
/// are shared, so that what the next turn reads of them is loaded while this one computes; each loop's turns are known,
/// and all of it is not too much.
bool isWrittenOut(const ast::KnownValues &known, const ast::For &loop, const std::set<std::string> &arrays);

} // namespace tangram::c_family
