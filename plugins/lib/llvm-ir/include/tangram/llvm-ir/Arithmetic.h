// What C++'s operators and conversions do, on values in registers: on scalars, and lane by lane on vectors.
#pragma once

#include "tangram/llvm-ir/Types.h"

#include <llvm/IR/IRBuilder.h>

namespace tangram::llvm_ir {

class Arithmetic {
public:
  Arithmetic(llvm::IRBuilderBase &builder, const Types &types) : b_(builder), types_(types) {}

  /// Between scalars, or vectors of as many lanes; pointers stay what they are.
  llvm::Value *convert(llvm::Value *value, const ast::Type &from, const ast::Type &to);
  llvm::Value *truth(llvm::Value *value, const ast::Type &type) { return convert(value, type, ast::Scalar::Bool); }

  /// Of two operands of one type (a shift's amount may have its own); comparisons make a bool, all others `result`.
  llvm::Value *binary(ast::BinaryOp op, llvm::Value *lhs, const ast::Type &left, llvm::Value *rhs,
                      const ast::Type &right, const ast::Type &result);
  llvm::Value *negate(llvm::Value *value, const ast::Type &type);
  /// `target op= value`: computed in the common type and converted back.
  llvm::Value *compound(ast::BinaryOp op, llvm::Value *target, const ast::Type &to, llvm::Value *value,
                        const ast::Type &from);

  /// As wide as an address.
  llvm::Value *index(llvm::Value *value, const ast::Type &type);
  /// A pointer that can stand beside pointers to other memories.
  llvm::Value *generic(llvm::Value *pointer);

private:
  /// `type`: that of the result, whose lanes are of type `to`.
  llvm::Value *convert(llvm::Value *value, const ast::Type &from, const ast::Type &to, llvm::Type *type);
  llvm::Value *integers(ast::BinaryOp op, llvm::Value *lhs, llvm::Value *rhs, const ast::Type &type);
  llvm::Value *floats(ast::BinaryOp op, llvm::Value *lhs, llvm::Value *rhs);
  llvm::Value *comparison(ast::BinaryOp op, llvm::Value *lhs, llvm::Value *rhs, const ast::Type &type);
  llvm::Value *pointers(ast::BinaryOp op, llvm::Value *lhs, const ast::Type &left, llvm::Value *rhs,
                        const ast::Type &right, const ast::Type &result);

  llvm::IRBuilderBase &b_;
  const Types &types_;
};

/// What C++ computes in: int for what is narrower, the type itself else. Lanes of a vector stay what they are.
ast::Type promoted(const ast::Type &type);
/// The usual arithmetic conversions.
ast::Type common(const ast::Type &a, const ast::Type &b);

/// Of a scalar itself, of a vector a lane's.
ast::Type laneType(const ast::Type &type);
/// Bool, or a vector of as many.
ast::Type truthType(const ast::Type &like);

} // namespace tangram::llvm_ir
