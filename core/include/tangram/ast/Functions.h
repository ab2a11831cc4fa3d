// Which functions of a module are called from where, and those that are expressions.
#pragma once

#include "tangram/ast/Node.h"

#include <set>
#include <string>
#include <vector>

namespace tangram::ast {

/// The functions that these trees call, and those that they call, in the order of the module.
std::vector<const Function *> reached(const Module &module, const std::vector<const Node *> &from);

/// The function of a call where it does nothing but return an expression, `return b < a ? b : a;`; else null.
const Function *functionOfExpression(const Module &module, const Call &call);
/// What such a function returns.
const Expr *resultOf(const Function &function);

/// Functions that compute with variables alone: parameters, a result and variables that are numbers, no memory, nothing
/// but mathematical functions and others of the kind called, none by itself; by branches and by loops that ask first.
/// Of moderate size.
std::set<std::string> functionsOfNumbers(const Module &module);

/// The functions that the host's part of the kernels calls: what is not in a Launch.
std::vector<const Function *> hostFunctions(const Module &module);

} // namespace tangram::ast
