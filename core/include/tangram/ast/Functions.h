// Which functions of a module are called from where, and those that are expressions.
#pragma once

#include "tangram/ast/Node.h"

#include <vector>

namespace tangram::ast {

/// The functions that these trees call, and those that they call, in the order of the module.
std::vector<const Function *> reached(const Module &module, const std::vector<const Node *> &from);

/// The function of a call where it does nothing but return an expression, `return b < a ? b : a;`; else null.
const Function *functionOfExpression(const Module &module, const Call &call);
/// What such a function returns.
const Expr *resultOf(const Function &function);

/// The functions that the host's part of the kernels calls: what is not in a Launch.
std::vector<const Function *> hostFunctions(const Module &module);

} // namespace tangram::ast
