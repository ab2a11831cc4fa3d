// Writes a loop so that several iterations load what they need before the first of them goes on.
#pragma once

#include "Iteration.h"

namespace tangram::batching {

/// Batches of `most` iterations, a power of two; what is left in batches of half as many, and so on. Null where it
/// cannot be said how many are left.
const ast::Stmt *batches(ast::Arena &arena, ast::Names &names, const loops::Counted &loop, const Iteration &iteration,
                         unsigned most);

} // namespace tangram::batching
