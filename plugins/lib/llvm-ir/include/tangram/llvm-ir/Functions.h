// The module's own functions, and what belongs to all functions that are made.
#pragma once

#include "tangram/llvm-ir/Scope.h"

#include <functional>

namespace tangram::llvm_ir {

/// Of a parameter: pointers, arrays and what is written are passed by address.
llvm::Type *parameterType(const Unit &unit, const ast::Param &param);

/// Declares the functions of the program, which nobody else sees, and notes them in the unit; `attribute` gets each.
/// `prefix`: of their names, where a library's functions have names of the same kind.
void declareFunctions(Unit &unit, const std::function<void(llvm::Function &)> &attribute,
                      const std::string &prefix = {});
/// Defines them, once all are declared. `body` writes the statements.
void defineFunctions(Unit &unit, const std::function<void(Scope &, const ast::Function &)> &body);

/// A table of constants, as a variable of the module that nobody writes; `name` is to be unique.
llvm::GlobalVariable *constantTable(Unit &unit, const ast::Declare &table, const std::string &name,
                                    unsigned addressSpace,
                                    const std::function<llvm::Value *(const ast::Expr *, const ast::Type &)> &value);

} // namespace tangram::llvm_ir
