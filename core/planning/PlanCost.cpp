#include "tangram/planning/PlanCost.h"

#include "tangram/planning/Cost.h"

namespace tangram {

std::vector<Plan> PlanCost::choose(const Forest &forest, HeuristicContext &context) {
  class Sum final : public Cost {
  public:
    Sum(const PlanCost &heuristic, const Forest &forest) : heuristic_(heuristic), forest_(forest) {}
    Charge of(const Point &point, const Alternative &alternative, Surroundings) const override {
      return {heuristic_.cost(forest_, point, alternative), std::vector<double>(alternative.children.size(), 1)};
    }

  private:
    const PlanCost &heuristic_;
    const Forest &forest_;
  };
  return bestPlans(forest, context.wanted, Sum(*this, forest));
}

} // namespace tangram
