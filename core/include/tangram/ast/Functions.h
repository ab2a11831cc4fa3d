// Which functions of a module are called from where.
#pragma once

#include "tangram/ast/Node.h"

#include <vector>

namespace tangram::ast {

/// The functions that these trees call, and those that they call, in the order of the module.
std::vector<const Function *> reached(const Module &module, const std::vector<const Node *> &from);

/// The functions that the host's part of the kernels calls: what is not in a Launch.
std::vector<const Function *> hostFunctions(const Module &module);

} // namespace tangram::ast
