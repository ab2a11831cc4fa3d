// isl's expressions as expressions of the AST.
#pragma once

#include "tangram/ast/Build.h"
#include "tangram/nest/Nest.h"

#include <isl/ast.h>
#include <map>
#include <set>

namespace tangram::nest {

/// What isl cannot be followed in, and why.
struct NotWritten {
  std::string why;
};

class Expressions {
public:
  Expressions(const Nest &nest, ast::Arena &arena) : nest_(nest), build_(arena) {}

  /// Names of isl that stand for variables of 64 bits; `negative`: for what they are below 0.
  void bind(const std::string &id, const std::string &variable, bool negative = false) {
    variables_[id] = {variable, negative};
  }
  const ast::Expr *integer(const isl::ast_expr &e) const;
  const ast::Expr *condition(const isl::ast_expr &e) const;
  /// 0 - e, where e is made of sums without a detour.
  const ast::Expr *negated(const ast::Expr *e) const;
  /// Parameters whose values were used.
  const std::set<std::string> &used() const { return used_; }

private:
  const ast::Expr *operation(const isl::ast_expr_op &e) const;
  const ast::Expr *floored(const ast::Expr *a, const ast::Expr *b) const;

  const Nest &nest_;
  ast::Build build_;
  std::map<std::string, std::pair<std::string, bool>> variables_;
  mutable std::set<std::string> used_;
};

} // namespace tangram::nest
