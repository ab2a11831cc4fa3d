// What the operator of a reduction leaves all values as they are with.
#pragma once

#include "tangram/ast/Build.h"
#include "tangram/nest/Nest.h"

namespace tangram::nest {

/// Null where there is none of the type.
const ast::Expr *neutral(const ast::Build &build, ReductionOp op, const ast::Type &type);

} // namespace tangram::nest
