// Quotients by what a loop does not change, as products with its reciprocal, which is found in front of the loop: a
// GPU divides by a sequence of some ten instructions.
#pragma once

#include "tangram/ast/Names.h"
#include "tangram/ast/Node.h"

#include <vector>

namespace tangram::invariant {

/// x / r is x * (1 / (r * s)) * s for a power of two s, which is 1 unless r is so small or so large that its reciprocal
/// overflows or is subnormal. All special values come out as those of the quotient. Two roundings, of the reciprocal
/// and of a product: 2 u.
class InvariantDivisors {
public:
  /// Declarations of what is found in front of the loop are appended to `moved`.
  InvariantDivisors(ast::Arena &arena, ast::Names &names, std::vector<const ast::Stmt *> &moved)
      : arena_(arena), names_(names), moved_(moved) {}

  static bool divides(const ast::Type &type) {
    return type == ast::Type(ast::Scalar::F32) || type == ast::Type(ast::Scalar::F64);
  }
  /// Of a quotient by what the loop does not change.
  const ast::Expr *product(const ast::Binary *quotient);

private:
  struct Reciprocal {
    const ast::Expr *divisor, *value, *scale; // null: 1
  };
  Reciprocal reciprocal(const ast::Expr *divisor);

  ast::Arena &arena_;
  ast::Names &names_;
  std::vector<const ast::Stmt *> &moved_;
  std::vector<Reciprocal> known_;
};

} // namespace tangram::invariant
