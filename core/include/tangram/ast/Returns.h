// Bodies without returns.
#pragma once

#include "tangram/ast/Names.h"
#include "tangram/ast/Node.h"

namespace tangram::ast {

/// What was returned is assigned to `result` (null: there is none, and a value is evaluated for its effects); what
/// stood behind a return on its path is skipped by structure: else branches, breaks, and a flag only where something
/// follows that could run. Names in the body are unique. Where nothing returns it is the same body.
const Block *withoutReturns(Arena &arena, Names &names, const Block *body, const Expr *result);

} // namespace tangram::ast
