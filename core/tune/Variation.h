// Plans made from others: one choice at one point is another, or a part is taken from a second plan.
#pragma once

#include "../compose/Derivations.h"

namespace tangram::tune {

class Variation {
public:
  /// `forest` has plans, and outlives this.
  explicit Variation(const Forest &forest) : forest_(forest), derivations_(forest) {}

  Plan draw(std::mt19937_64 &random) const { return derivations_.draw(random); }
  /// Another alternative at a point of the plan: other values of its rule, or another rule. What is below stays where
  /// it can stand there, and is drawn where it cannot. The plan itself where there is no other.
  Plan mutate(const Plan &plan, std::mt19937_64 &random) const;
  /// A part of `plan` is what `other` has at such a point, as far as it can stand there. The plan itself where they
  /// have no point in common.
  Plan cross(const Plan &plan, const Plan &other, std::mt19937_64 &random) const;

private:
  struct Place {
    GoalId id = 0;
    PlanPtr node;
  };
  void collect(GoalId id, const PlanPtr &node, std::vector<Place> &places) const;
  std::vector<Place> places(const Plan &plan) const;
  /// Alternatives of the place's point that may stand there instead.
  std::vector<std::size_t> others(const Place &place) const;
  /// The derivation of a point that is most like `node`, which may be null.
  PlanPtr adapt(GoalId id, const PlanNode *node, std::mt19937_64 &random) const;
  PlanPtr adapt(GoalId id, std::size_t alternative, const PlanNode *node, std::mt19937_64 &random) const;
  std::optional<std::size_t> alike(GoalId id, const PlanNode &node) const;
  Plan replace(const Plan &plan, const PlanNode *part, const PlanPtr &with) const;

  const Forest &forest_;
  Derivations derivations_;
};

} // namespace tangram::tune
