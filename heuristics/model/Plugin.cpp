#include "Time.h"

#include "tangram/compose/Heuristic.h"
#include "tangram/plugin/Plugin.h"

#include <fmt/format.h>

namespace {
using namespace tangram;

/// What it would cost to begin with another rule, in words.
std::string said(double times) {
  constexpr double kUnsuited = 1e4; // what Time has for plans that do not fit their arguments
  if (!(times < kUnsuited)) return "nothing that begins so is complete within the depth and suits the sizes";
  if (times < 1.005) return "as long";
  return fmt::format("at least {:.{}f} times as long", times, times < 10 ? 2 : 0);
}

class Model final : public Heuristic {
  std::vector<Plan> choose(const Forest &forest, HeuristicContext &context) override {
    std::vector<OtherRule> others;
    std::vector<Plan> plans = bestPlans(forest, context.wanted, model::Time(forest), context.why ? &others : nullptr);
    for (const OtherRule &other : others)
      context.prunings.push_back({other.point, other.alternative, said(other.times)});
    return plans;
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
