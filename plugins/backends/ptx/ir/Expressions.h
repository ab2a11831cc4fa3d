// Expressions as instructions.
#pragma once

#include "Device.h"
#include "Scope.h"

namespace tangram::ptx {

class Expressions {
public:
  explicit Expressions(Scope &scope) : s_(scope), b_(scope.build), device_(scope) {}

  /// A scalar, a struct or a pointer, in the type types.value() says. Null for void.
  llvm::Value *value(const ast::Expr *e);
  /// Converted to a type, as by an assignment.
  llvm::Value *value(const ast::Expr *e, const ast::Type &type);
  Place place(const ast::Expr *e);
  /// One bit.
  llvm::Value *condition(const ast::Expr *e) { return value(e, ast::Scalar::Bool); }
  /// Fills a local array or struct; what the list leaves out is zero.
  void initialise(const ast::InitList &list, const Place &place, const std::vector<std::uint64_t> &extents);

private:
  struct Assigned {
    Place place;
    llvm::Value *value; // what the expression is where it is no place
  };

  llvm::Value *unary(const ast::Unary *e);
  llvm::Value *binary(const ast::Binary *e);
  llvm::Value *logical(const ast::Binary *e);
  Assigned assign(const ast::Assign *e);
  Assigned step(const ast::Unary *e);
  llvm::Value *call(const ast::Call *e);
  llvm::Value *argument(const ast::Param &param, const ast::Expr *arg);
  /// What `make` makes of one of two expressions.
  llvm::Value *choose(const ast::Conditional *e, const std::function<llvm::Value *(const ast::Expr *)> &make);
  Place element(const ast::Subscript *e);
  Place member(const ast::Member *e);
  /// A place for what has none.
  Place temporary(const ast::Expr *e);

  Scope &s_;
  llvm::IRBuilder<> &b_;
  Device device_;
};

} // namespace tangram::ptx
