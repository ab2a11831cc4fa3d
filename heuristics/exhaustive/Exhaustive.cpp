// Every plan, in the forest's stable order, up to a limit.
#include "tangram/compose/Heuristic.h"
#include "tangram/plugin/Plugin.h"

#include <algorithm>

namespace tangram {
namespace {

class Exhaustive final : public Heuristic {
public:
  explicit Exhaustive(std::size_t limit) : limit_(limit) {}

  std::vector<Plan> choose(const Forest &forest, HeuristicContext &context) override {
    std::vector<Plan> plans;
    std::size_t most = std::min(limit_, context.wanted);
    if (most == 0) return plans;
    forest.enumerate([&](const Plan &plan) {
      plans.push_back(plan);
      return plans.size() < most;
    });
    return plans;
  }

private:
  std::size_t limit_;
};

} // namespace
} // namespace tangram

TANGRAM_PLUGIN("exhaustive", "1.0", "lists every plan") {
  tangram::HeuristicDescriptor descriptor;
  descriptor.name = "exhaustive";
  descriptor.summary = "lists plans in a stable order, all of them up to a limit";
  descriptor.options = {{"limit", "how many plans at most", std::int64_t{100000}, 1, {}, {}}};
  descriptor.create = [](const tangram::OptionValues &options) {
    return std::make_unique<tangram::Exhaustive>(static_cast<std::size_t>(options.integer("limit")));
  };
  registry.heuristics.add(descriptor);
}
