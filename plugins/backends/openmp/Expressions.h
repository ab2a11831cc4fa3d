// Expressions as C++ text.
#pragma once

#include "tangram/ast/Node.h"

#include <map>
#include <set>
#include <string>

namespace tangram::openmp {

class Expressions {
public:
  /// What a kernel's constants are called; others print under their own name.
  std::map<std::string, std::string> spelling;
  /// Set where the text needs vec.h, <cmath>, <limits>, <algorithm>.
  bool usesVectors = false, usesMath = false, usesLimits = false, usesAlgorithm = false;
  /// Functions of the module; all others are the math library's.
  std::set<std::string> functions;

  /// `wanted`: what the place converts to by itself, so that literals and widening casts need no spelling.
  std::string print(const ast::Expr *e, const ast::Type &wanted = {});
  std::string type(const ast::Type &type);

private:
  /// Binding strength of what was printed: 16 a primary expression, 1 a comma.
  struct Text {
    std::string text;
    int strength = 16;
  };
  Text at(const ast::Expr *e, const ast::Type &wanted);
  std::string operand(const ast::Expr *e, int strength, const ast::Type &wanted);
  Text literal(const ast::IntLit *e, const ast::Type &wanted);
  Text real(const ast::FloatLit *e, const ast::Type &wanted);
  Text unary(const ast::Unary *e);
  Text binary(const ast::Binary *e);
  Text choice(const ast::Conditional *e, const ast::Type &wanted);
  Text cast(const ast::Cast *e, const ast::Type &wanted);
  Text call(const ast::Call *e);
  Text atomic(const ast::Atomic *e);
  Text load(const ast::VectorLoad *e);
  Text reduce(const ast::VectorReduce *e);
};

/// Where base[index] lies: "in", "in + begin".
std::string address(Expressions &expressions, const ast::Expr *base, const ast::Expr *index);

} // namespace tangram::openmp
