// Heuristics that give each production a cost, whatever stands around it.
#pragma once

#include "tangram/compose/Heuristic.h"

namespace tangram {

/// Form (b): a cost of each production that adds up over a plan.
class PlanCost : public Heuristic {
public:
  std::vector<Plan> choose(const Forest &forest, HeuristicContext &context) override;

protected:
  virtual double cost(const Forest &forest, const Point &point, const Alternative &alternative) const = 0;
};

} // namespace tangram
