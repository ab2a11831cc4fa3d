// Containers of one dimension as containers of several, which expanders make.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::ast {

/// A declaration with extents and another container as its first value: that container's elements, row by row in other
/// dimensions.
inline bool isReshaped(const Declare &d) { return d.type.isArray() && isa<VarRef>(d.init) && !d.extents.empty(); }

} // namespace tangram::ast
