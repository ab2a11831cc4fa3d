// Makes expressions and statements, folding constants on the way: what passes compute stays readable.
//
// Folding never changes a value: unsigned arithmetic wraps at the width of its type, signed arithmetic that would
// overflow and divisions by zero are left as they are, and an operand is dropped only where it has no effects.
#pragma once

#include "tangram/ast/Node.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tangram::ast {

/// The value of an integer literal.
std::optional<Int> literal(const Expr *expr);
bool isLiteral(const Expr *expr, Int value);

class Build {
public:
  /// What is made carries `range`.
  explicit Build(Arena &arena, SourceRange range = {}) : arena_(arena), range_(range) {}
  Build at(SourceRange range) const { return Build(arena_, range); }
  Arena &arena() const { return arena_; }

  const Expr *integer(Type type, Int value) const; // wrapped to the type's width
  const Expr *u64(std::uint64_t value) const { return integer(Scalar::U64, static_cast<Int>(value)); }
  const Expr *boolean(bool value) const { return integer(Scalar::Bool, value); }
  const Expr *zero(const Type &type) const; // of a scalar or struct; null for a type that has no literal
  const Expr *var(const std::string &name, const Type &type) const;

  const Expr *cast(const Type &type, const Expr *operand) const;
  /// Of an integer whose value is one of the type (Cast::exact).
  const Expr *exactCast(const Type &type, const Expr *operand) const;
  /// Both sides of one type (except shifts and pointers); comparisons and logic are bool.
  const Expr *binary(BinaryOp op, const Expr *lhs, const Expr *rhs) const;
  const Expr *add(const Expr *a, const Expr *b) const { return binary(BinaryOp::Add, a, b); }
  const Expr *sub(const Expr *a, const Expr *b) const { return binary(BinaryOp::Sub, a, b); }
  const Expr *mul(const Expr *a, const Expr *b) const { return binary(BinaryOp::Mul, a, b); }
  const Expr *div(const Expr *a, const Expr *b) const { return binary(BinaryOp::Div, a, b); }
  const Expr *rem(const Expr *a, const Expr *b) const { return binary(BinaryOp::Rem, a, b); }
  const Expr *less(const Expr *a, const Expr *b) const { return binary(BinaryOp::Lt, a, b); }
  const Expr *equal(const Expr *a, const Expr *b) const { return binary(BinaryOp::Eq, a, b); }
  const Expr *both(const Expr *a, const Expr *b) const { return binary(BinaryOp::LogicalAnd, a, b); }
  const Expr *logicalNot(const Expr *operand) const;
  const Expr *select(const Expr *cond, const Expr *then, const Expr *otherwise) const;
  /// Each operand is evaluated twice: pass literals and variables.
  const Expr *min(const Expr *a, const Expr *b) const;
  const Expr *max(const Expr *a, const Expr *b) const;
  /// An element of an array or through a pointer.
  const Expr *element(const Expr *base, std::vector<const Expr *> indices, const Type &type) const;

  const Stmt *declare(const std::string &name, const Type &type, const Expr *init, bool isConst = true) const;
  const Stmt *assign(const Expr *target, const Expr *value) const;
  const Block *block(std::vector<const Stmt *> stmts) const;
  /// Nothing where the condition is false and there is no other branch.
  const Stmt *when(const Expr *cond, std::vector<const Stmt *> then, std::vector<const Stmt *> otherwise = {}) const;

private:
  const Expr *identity(BinaryOp op, const Expr *lhs, const Expr *rhs) const;

  Arena &arena_;
  SourceRange range_;
};

} // namespace tangram::ast
