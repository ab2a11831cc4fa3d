// Expressions of a reference kernel: floating-point numbers are tangram::reference::Real, pointers to them
// tangram::reference::Pointer (tangram/runtime/error_analysis.h).
#pragma once

#include "Expressions.h"

namespace tangram::openmp {

class ReferenceExpressions final : public VectorExpressions {
public:
  std::string type(const ast::Type &type) override;
  std::optional<std::string> update(const ast::If &node) override;

protected:
  Text cast(const ast::Cast *e, const ast::Type &wanted) override;
  Text call(const ast::Call *e) override;
  Text assign(const ast::Assign *e) override;
  Text choice(const ast::Conditional *e, const ast::Type &wanted) override;
  std::string infinity(const ast::Type &type) override;
  std::string notANumber(const ast::Type &type) override;

private:
  /// `cond ? then : otherwise` where that is one of the two numbers that `cond` compares; else empty.
  std::string oneOfBoth(const ast::Expr *cond, const ast::Expr *then, const ast::Expr *otherwise);
};

} // namespace tangram::openmp
