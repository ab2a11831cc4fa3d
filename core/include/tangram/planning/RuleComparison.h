// Heuristics that compare two rules at a point, from the top of the forest down.
#pragma once

#include "tangram/compose/Heuristic.h"
#include "tangram/planning/Expectations.h"

namespace tangram {

/// Form (a): Figure 6.4 with a comparison as in Figure 6.5. The candidates kept per iteration are `wanted`.
class RuleComparison : public Heuristic {
public:
  std::vector<Plan> choose(const Forest &forest, HeuristicContext &context) override;

protected:
  /// Why `a` is preferred to `b` at the point in this iteration (1-based, of `iterations`); empty: it is not.
  virtual std::string prefer(const Forest &forest, const SizedPoint &point, const Alternative &a, const Alternative &b,
                             unsigned iteration, unsigned iterations) const = 0;
};

} // namespace tangram
