// Expressions as instructions. What only some machines have is virtual.
#pragma once

#include "tangram/diag/Diagnostic.h"
#include "tangram/llvm-ir/Scope.h"

namespace tangram::llvm_ir {

/// A node that passes should have lowered.
inline constexpr DiagnosticKind kLanguageNode{
    "llvm-ir.language-node", DiagnosticClass::User, "a {} reached the backend",
    "the passes of the target must lower it first: compare its pipeline with those in hw/"};

class Expressions {
public:
  explicit Expressions(Scope &scope) : s_(scope), b_(scope.build) {}
  virtual ~Expressions() = default;
  Expressions(const Expressions &) = delete;

  /// A scalar, a struct or a pointer, in the type types.value() says. Null for void.
  llvm::Value *value(const ast::Expr *e);
  /// Converted to a type, as by an assignment.
  llvm::Value *value(const ast::Expr *e, const ast::Type &type);
  Place place(const ast::Expr *e);
  /// One bit.
  llvm::Value *condition(const ast::Expr *e) { return value(e, ast::Scalar::Bool); }
  /// Fills a local array or struct; what the list leaves out is zero.
  void initialise(const ast::InitList &list, const Place &place, const std::vector<std::uint64_t> &extents);

  Scope &scope() { return s_; }

protected:
  /// Whether there are vectors; else each of their nodes is refused.
  virtual bool hasVectors() const { return false; }
  /// Of a vector that the machine has not.
  [[noreturn]] static void refuseVector(const ast::Expr *e);
  /// What the class itself makes nothing of: workers, shuffles, checks, vectors. Refuses all.
  virtual llvm::Value *other(const ast::Expr *e);
  /// Of a device whose groups have memory to copy to; others refuse it.
  virtual void transfer(const ast::Transfer &t, const Place &target);
  /// The value before; `operands` are of the place's type.
  virtual llvm::Value *atomic(const ast::Atomic &e, const Place &place, const std::vector<llvm::Value *> &operands) = 0;
  /// Of a function that is not the module's own.
  virtual llvm::Value *library(const ast::Call &call, const std::vector<llvm::Value *> &args) = 0;

  Scope &s_;
  llvm::IRBuilder<> &b_;

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
};

} // namespace tangram::llvm_ir
