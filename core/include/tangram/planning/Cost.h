// Costs of plans from which the best ones are found without listing them all.
#pragma once

#include "tangram/compose/Forest.h"

#include <numeric>

namespace tangram {

/// What a rule costs by itself, and how many times what each child costs.
struct Charge {
  double own = 0; // infinite: not to be chosen
  std::vector<double> times;

  double total(const std::vector<double> &parts) const {
    return std::inner_product(parts.begin(), parts.end(), times.begin(), own);
  }
};

/// A cost that is decomposable over the forest: a derivation's follows from its first rule and from the costs of the
/// derivations below it.
class Cost {
public:
  /// What stands above a point and makes a difference to what is below, as a number; the root's is 0.
  using Surroundings = std::uint64_t;

  virtual ~Cost() = default;
  /// Of the alternative's child of that number.
  virtual Surroundings below(const Point &, const Alternative &, std::size_t, Surroundings) const { return 0; }
  /// A number that surroundings have in common in which the same is likely to be best: a point is searched once for
  /// each, and in others what was best in any of them is tried.
  virtual Surroundings alike(Surroundings surroundings) const { return surroundings; }
  /// Not negative.
  virtual Charge of(const Point &point, const Alternative &alternative, Surroundings surroundings) const = 0;
};

/// What speaks against another rule at a point of a plan.
struct OtherRule {
  GoalId point = 0;
  std::size_t alternative = 0; // the first of the rule's
  double times = 0;            // at least so many times what the point costs; infinite: no plan begins with it
};

/// The k plans of least cost, best first; ties in the forest's stable order. Exact where a rule has few values and
/// surroundings are not alike (Cost::alike); else a search that does not look at everything. With `others`, what other
/// rules cost at the points of the first plan.
std::vector<Plan> bestPlans(const Forest &forest, std::size_t k, const Cost &cost,
                            std::vector<OtherRule> *others = nullptr);

} // namespace tangram
