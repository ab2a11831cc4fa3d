// What OpenMP C++ has beyond C++: vectors of SIMD lanes (tangram/runtime/vec.h).
#pragma once

#include "Fields.h"
#include "tangram/c-family/Expressions.h"

namespace tangram::openmp {

class VectorExpressions : public c_family::Expressions {
public:
  /// Set where the text needs vec.h.
  bool usesVectors = false;
  /// Of the kernel whose text is made.
  std::map<std::string, Field> fields;

  std::string type(const ast::Type &type) override;
  /// Where base[index] lies: "in", "in + begin".
  std::string address(const ast::Expr *base, const ast::Expr *index);
  /// Of elements that each lane has its own index of, what gather and scatter are given: where to count from, the
  /// indices.
  std::string elements(const ast::Expr *base, const ast::Expr *index);
  /// Elements that are as far apart from lane to lane.
  struct Apart {
    std::string first;     // where that of the first lane lies
    ast::Int constant = 0; // how far apart they are, where that is a number of two or more; else 0
    std::string stride;    // ... and else this text
  };
  /// Nothing for elements side by side, and where it is not known that they are so.
  std::optional<Apart> apart(const ast::Expr *base, const ast::Expr *index);

protected:
  Text cast(const ast::Cast *e, const ast::Type &wanted) override;
  Text call(const ast::Call *e) override;
  Text other(const ast::Expr *e, const ast::Type &wanted) override;

private:
  Text load(const ast::VectorLoad *e);
  Text select(const ast::VectorSelect *e);
  Text reduce(const ast::VectorReduce *e);

  ast::Arena arena_;
};

} // namespace tangram::openmp
