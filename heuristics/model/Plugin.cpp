#include "Time.h"

#include "tangram/compose/Heuristic.h"
#include "tangram/plugin/Plugin.h"

namespace {
using namespace tangram;

class Model final : public Heuristic {
  std::vector<Plan> choose(const Forest &forest, HeuristicContext &context) override {
    return bestPlans(forest, context.wanted, model::Time(forest));
  }
  std::optional<Prediction> predict(const Forest &forest, const Plan &plan) override {
    return model::Time(forest).predict(plan);
  }
};

} // namespace

TANGRAM_PLUGIN("model", "1.0", "plans by their time") {
  HeuristicDescriptor descriptor;
  descriptor.name = "model";
  descriptor.summary = "picks the plan of least time, by what the target says of its cores and memories";
  descriptor.create = [](const OptionValues &) { return std::make_unique<Model>(); };
  registry.heuristics.add(descriptor);
}
