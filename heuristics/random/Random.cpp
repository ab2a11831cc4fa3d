// Different plans, every set of them as likely as any other, however large the space is.
#include "tangram/compose/Count.h"
#include "tangram/compose/Heuristic.h"
#include "tangram/plugin/Plugin.h"

#include <algorithm>
#include <boost/multiprecision/random.hpp>
#include <set>

namespace tangram {
namespace {

class Random final : public Heuristic {
public:
  explicit Random(std::uint64_t seed) : seed_(seed) {}

  std::vector<Plan> choose(const Forest &forest, HeuristicContext &context) override {
    std::seed_seq seeds{static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32),
                        static_cast<std::uint32_t>(context.seed), static_cast<std::uint32_t>(context.seed >> 32)};
    std::mt19937_64 random(seeds);
    const Count::Number &count = forest.count().number();
    std::size_t wanted = count < context.wanted ? static_cast<std::size_t>(count) : context.wanted;

    // Floyd's method: numbers of plans without repetition, whatever share of them is wanted.
    std::vector<Count::Number> order;
    std::set<Count::Number> taken;
    for (Count::Number top = count - wanted; order.size() < wanted; ++top) {
      Count::Number drawn = boost::random::uniform_int_distribution<Count::Number>(0, top)(random);
      if (!taken.insert(drawn).second) taken.insert(drawn = top);
      order.push_back(drawn);
    }
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[boost::random::uniform_int_distribution<std::size_t>(0, i - 1)(random)]);

    std::vector<Plan> plans;
    for (const Count::Number &number : order) plans.push_back(forest.nth(number));
    return plans;
  }

private:
  std::uint64_t seed_;
};

} // namespace
} // namespace tangram

TANGRAM_PLUGIN("random", "1.0", "draws plans at random") {
  tangram::HeuristicDescriptor descriptor;
  descriptor.name = "random";
  descriptor.summary = "draws different plans, each as likely as any other";
  descriptor.options = {{"seed", "the same seed draws the same plans", std::int64_t{0}, 0, {}, {}}};
  descriptor.create = [](const tangram::OptionValues &options) {
    return std::make_unique<tangram::Random>(static_cast<std::uint64_t>(options.integer("seed")));
  };
  registry.heuristics.add(descriptor);
}
