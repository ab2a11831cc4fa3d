// What libraries of functions for all machines have in common.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <string>

namespace tangram::llvm_ir {

/// The intrinsic that computes exactly what a function of doubles of the C math library does; not_intrinsic: none does.
/// Extrema and round are left to each machine, which differ in what they have for them.
llvm::Intrinsic::ID exactIntrinsic(const std::string &name);

/// The name of a function's double form: sinf is sin.
std::string doubleName(const std::string &name);

/// isnan, isinf and isfinite of a number or of a vector.
llvm::Value *classified(const std::string &name, llvm::Value *value, llvm::IRBuilderBase &build);

} // namespace tangram::llvm_ir
