// Comparisons that guard what a loop does in each iteration, and what must hold before the loop for all of them to
// hold.
#pragma once

#include "tangram/ast/Build.h"
#include "tangram/ranges/Ranges.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tangram::versioning {

class Guards {
public:
  /// `ranges`: where the loop stands.
  Guards(ast::Arena &arena, ranges::Ranges &ranges, const ast::Stmt *loop);

  /// Guards that hold in all iterations where all of conditions() do.
  const std::set<const ast::Expr *> &known() const { return known_; }
  /// Of what the loop leaves as it is; none wraps around.
  const std::vector<const ast::Expr *> &conditions() const { return conditions_; }

private:
  void scan(const ast::Node *node);
  void guard(const ast::Expr *cond);
  const ast::Expr *before(const ast::Expr *comparison) const;
  bool invariant(const ast::Expr *e) const;
  /// The sum of the terms is the value, or more where it wraps around.
  void terms(const ast::Expr *e, std::vector<const ast::Expr *> &out) const;

  ast::Build build_;
  ranges::Ranges &ranges_;
  std::set<std::string> inner_;                          // declared in the loop, or changed by it
  std::vector<const ast::Expr *> order_;                 // comparisons, as they stand
  std::map<const ast::Expr *, const ast::Expr *> found_; // and what must hold before; null: not everywhere
  std::set<const ast::Expr *> known_;
  std::vector<const ast::Expr *> conditions_;
};

} // namespace tangram::versioning
