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
  /// Where the first lane's element lies, and how far apart the others' are; nothing where that is not a number.
  std::optional<std::pair<std::string, ast::Int>> apart(const ast::Expr *base, const ast::Expr *index);

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
