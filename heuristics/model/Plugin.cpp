#include "Time.h"

#include "tangram/compose/Heuristic.h"
#include "tangram/compose/OrdinarySizes.h"
#include "tangram/plugin/Plugin.h"

#include <algorithm>

namespace {
using namespace tangram;

/// A forest whose sizes are all expected: the given one, or one with ordinary sizes where nothing was told.
class Sized {
public:
  explicit Sized(const Forest &forest) : forest_(&forest) {
    const std::vector<Extents> &told = forest.point(forest.root()).expected.arguments;
    const bool all = !told.empty() && std::all_of(told.begin(), told.end(), [](const Extents &extents) {
      return std::all_of(extents.begin(), extents.end(), [](auto &extent) { return extent.has_value(); });
    });
    if (all || !forest.hasPlans()) return;
    const auto &spectrums = forest.module().spectrums;
    const auto at = std::find_if(spectrums.begin(), spectrums.end(),
                                 [&](const ast::Spectrum *spectrum) { return spectrum->name == forest.spectrum(); });
    own_.emplace(forest.module(), forest.hardware(), forest.facts(), forest.spectrum(), forest.depth(),
                 ordinarySizes(**at, told));
    forest_ = &*own_;
  }
  const Forest &operator*() const { return *forest_; }

private:
  std::optional<Forest> own_;
  const Forest *forest_;
};

class Model final : public Heuristic {
  std::vector<Plan> choose(const Forest &forest, HeuristicContext &context) override {
    const Sized sized(forest);
    return (*sized).best(context.wanted, model::Time(*sized));
  }
  std::optional<Prediction> predict(const Forest &forest, const Plan &plan) override {
    const Sized sized(forest);
    return model::Time(*sized).predict(plan);
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
