// Iterations in the middle of a loop: those for which comparisons of their numbers with bounds (clamped and periodic
// indices, borders) come out as they do for most.
#pragma once

#include "tangram/loops/Sums.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tangram::loops {

/// Whether conversions that `sums` have gone through keep their value from `first` to `last`; null: they do.
const ast::Expr *keepValues(ast::Arena &arena, const Sums &sums, const ast::Expr *first, const ast::Expr *last);

/// Of the kernel's spectrum, parameters that are whole numbers.
std::set<std::string> scalarParameters(const ast::Module &module, const ast::Kernel &kernel);

class Interior {
public:
  /// `scalars`: what callers say beside sizes, such as the radius of a window, by which no loop is bounded.
  Interior(ast::Arena &arena, const ast::Loop &loop, const Copies &copies, Sums &sums,
           const std::set<std::string> &scalars);

  /// Whether any comparison is decided.
  bool any() const { return !decided_.empty(); }
  /// The loop as these iterations run it, comparisons that are decided left out.
  const ast::Loop *loop() const { return inside_; }
  /// Whether all iterations from `first` to `last` (64 bits) are such; null: all iterations are.
  const ast::Expr *holds(const ast::Expr *first, const ast::Expr *last) const;

private:
  friend class Decided;
  struct Comparison {
    const ast::Binary *comparison;
    bool holds;
    std::vector<Sums::Values> corners; // variables of loops inside, for which it is asked
  };
  std::optional<bool> decide(const ast::Binary *comparison);
  bool ofScalars(const Sums::Product &product) const;

  ast::Arena &arena_;
  const ast::Loop &whole_;
  const Copies &copies_;
  Sums &sums_;
  const std::set<std::string> &scalars_;
  const ast::Loop *inside_ = nullptr;
  std::vector<Comparison> decided_;
};

} // namespace tangram::loops
