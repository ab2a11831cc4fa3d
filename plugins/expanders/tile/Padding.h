// Elements that count as zero where a condition on their indices does not hold, such as those beyond the edges of an
// image.
#pragma once

#include "RangeNest.h"

#include <set>

namespace tangram::tile {

/// Integers of a body that keep their value, by their names.
using Definitions = std::map<std::string, const ast::Declare *>;
Definitions definitionsIn(const std::vector<const ast::Stmt *> &body);
/// With what variables are declared as in their place.
const ast::Expr *spelledOut(const ast::Expr *e, const Definitions &definitions, ast::Arena &arena);

/// Between which indices of a dimension elements do not count as zero: none is less than one of `from`, all are less
/// than each of `to`. Numbers of 64 bits with a sign, the same for all points.
struct IndexBounds {
  std::vector<const ast::Expr *> from, to;
};
using Padding = std::vector<IndexBounds>; // one a dimension
bool alike(const Padding &a, const Padding &b);

/// Finds in a body what a tile that has zeros in it makes needless.
class ZeroPadding {
public:
  /// `moving`: iterators of the loops around the body; `variables` are declared or written by what a patch does.
  ZeroPadding(const std::vector<const ast::Stmt *> &body, std::set<std::string> moving, std::set<std::string> variables,
              ast::Arena &arena);

  /// `cond ? in[...] : 0`, where the condition is one on these indices alone.
  std::optional<Padding> of(const ast::Conditional &choice) const;

  struct Body {
    std::vector<const ast::Stmt *> stmts;
    /// Floating-point sums with products of such zeros in them. Where the other factor is no finite number the product
    /// is no number, and so is the sum: then it is not what the body computes.
    std::set<std::string> sums;
  };
  /// With `sum += weight * (cond ? in[...] : 0)` in place of `if (cond) sum += weight * in[...]` for one of `sums`, and
  /// `v = cond ? in[...] : 0` in place of `v = 0; if (cond) v = in[...]`. Nothing else is changed.
  Body withZeros(const std::vector<const ast::Stmt *> &body, const std::set<std::string> &sums) const;

  /// With elements in place of such choices, and without variables that only these asked for.
  std::vector<const ast::Stmt *> withoutChoices(const std::vector<const ast::Stmt *> &body,
                                                const std::set<const ast::Subscript *> &elements) const;

private:
  bool addBounds(const ast::Expr *condition, const std::vector<const ast::Expr *> &indices, Padding &padding) const;
  std::optional<Padding> paddingOf(const ast::Expr *condition, const ast::Subscript &element) const;
  const ast::Expr *paddedFactor(const ast::Expr *product, const ast::Expr *condition) const;
  const ast::Stmt *paddedUpdate(const ast::Stmt *s, const std::set<std::string> &sums, std::string &sum) const;
  const ast::Stmt *paddedValue(const ast::Stmt *declaration, const ast::Stmt *choice) const;

  Definitions definitions_;
  std::set<std::string> moving_, variables_;
  ast::Arena &arena_;
};

} // namespace tangram::tile
