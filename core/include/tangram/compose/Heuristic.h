// A heuristic picks plans from a forest. It may compare two rules at a point (planning/RuleComparison.h), give a cost
// that adds up (planning/PlanCost.h), or search the forest by itself.
#pragma once

#include "tangram/compose/Forest.h"
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
  bool why = false;                 // whether somebody reads `prunings`: some heuristics compute them only then
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

} // namespace tangram
