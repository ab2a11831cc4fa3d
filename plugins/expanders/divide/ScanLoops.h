// A loop that carries running values, of which each iteration makes use: prefix sums, and what is like them. As a
// spectrum over its range, whose parts first combine what they add, and then go through their iterations again, each
// from the value that those before it have come to (reduce, then scan).
#pragma once

#include "Reductions.h"

namespace tangram::divide {

struct ScanLoop {
  ReductionLoop all; // with all running values
  /// What is left of the loop where only running values are asked for: of those that follow from no other one, then of
  /// those that follow from these alone, and so on. Their scalars, in this order, are those of `all`.
  std::vector<ReductionLoop> totals;
  std::vector<const ast::Expr *> conditions; // of the codelet, for which it is one
  bool onlyTotal = false;                    // it does nothing but come to the running values of totals[0]
};

/// The loop as a scan; of scalars that `total` has and the loop has not, what it begins with does not matter. `names`:
/// of the codelet. Nothing where it carries more than updates of scalars, or what these add depends on one of them, or
/// on what the loop writes elsewhere. `body`: of the loop's iteration.
std::optional<ScanLoop> scanLoop(const nest::Nest &nest, const nest::Item &loop, const nest::Dependences &dependences,
                                 std::vector<const ast::Stmt *> body, ast::Names &names, ast::Arena &arena);

/// The first spectrum is given the range and the values before, and returns those behind: of several, a struct of them,
/// ReductionLoop::values, which has to be there.
std::vector<const ast::Spectrum *> spectrumsOf(ScanLoop loop, const std::string &base, ast::Names &names,
                                               ast::Arena &arena);

} // namespace tangram::divide
