// A heuristic picks plans from a forest. It may compare two rules at a point, give a cost that adds up, or search
// the forest by itself.
#pragma once

#include "tangram/compose/Expectations.h"
#include "tangram/compose/Prediction.h"
#include "tangram/pass/Pass.h"

namespace tangram {

/// What was dropped at a point and against what; `explain --why-not` shows it.
struct Pruning {
  GoalId point = 0;
  std::size_t alternative = 0;
  std::string reason;
};

struct HeuristicContext {
  std::size_t wanted = 1; // how many plans
  std::uint64_t seed = 0;
  std::vector<Pruning> prunings;    // filled in
  std::vector<std::string> remarks; // filled in: what whoever asked for this heuristic should know
};

class Heuristic {
public:
  /// Another heuristic by its name; null where there is none.
  using Others = std::function<std::unique_ptr<Heuristic>(const std::string &name)>;

  virtual ~Heuristic() = default;
  /// Called before all that is below, for those that ask others.
  virtual void meet(const Others &) {}
  /// At most `wanted` different plans, best first; at least one where the forest has any.
  virtual std::vector<Plan> choose(const Forest &forest, HeuristicContext &context) = 0;
  /// What a plan of the forest costs; nothing where the heuristic has no model of time, or knows no answer.
  virtual std::optional<Prediction> predict(const Forest &, const Plan &) { return {}; }
};

/// Form (a): Figure 6.4 with a comparison as in Figure 6.5. The candidates kept per iteration are `wanted`.
class RuleComparison : public Heuristic {
public:
  std::vector<Plan> choose(const Forest &forest, HeuristicContext &context) override;

protected:
  /// Why `a` is preferred to `b` at the point in this iteration (1-based, of `iterations`); empty: it is not.
  virtual std::string prefer(const Forest &forest, const SizedPoint &point, const Alternative &a, const Alternative &b,
                             unsigned iteration, unsigned iterations) const = 0;
};

/// Form (b): a cost of each production that adds up over a plan.
class PlanCost : public Heuristic {
public:
  std::vector<Plan> choose(const Forest &forest, HeuristicContext &context) override;

protected:
  virtual double cost(const Forest &forest, const Point &point, const Alternative &alternative) const = 0;
};

} // namespace tangram
