// Plans by evolution: the fittest so far have offspring, by one choice that is another or a part of a second plan. How
// fit a plan is, another heuristic's model of time says.
#include "tangram/compose/Heuristic.h"
#include "tangram/planning/EvolutionarySearch.h"
#include "tangram/plugin/Plugin.h"

#include <algorithm>
#include <cmath>

namespace tangram {
namespace {

constexpr DiagnosticKind kNoModel{"evolutionary.no-model", DiagnosticClass::User,
                                  "heuristic 'evolutionary' asks heuristic '{0}' what plans take, and {1}",
                                  "name one that has a model of time by the option 'by': model"};

constexpr std::size_t kGeneration = 16; // plans that are looked at before the next are made of them

class Evolutionary final : public Heuristic {
public:
  explicit Evolutionary(const OptionValues &options)
      : by_(options.text("by")), plans_(static_cast<std::size_t>(options.integer("plans"))),
        seed_(static_cast<std::uint64_t>(options.integer("seed"))) {}

  void meet(const Others &others) override { others_ = others; }

  std::vector<Plan> choose(const Forest &forest, HeuristicContext &context) override {
    const std::unique_ptr<Heuristic> model = others_ ? others_(by_) : nullptr;
    if (!model) fail(kNoModel, {}, by_, "there is none");
    EvolutionarySearch search(forest, forest.hardware().name, seed_ * 1000003 + context.seed);
    std::vector<std::pair<double, Plan>> found;
    bool answered = false;
    const std::size_t most = std::max(plans_, context.wanted);
    while (found.size() < most) {
      std::vector<Plan> plans = search.next(std::min(kGeneration, most - found.size()));
      if (plans.empty()) break; // all that there are
      for (Plan &plan : plans) {
        const std::optional<Prediction> predicted = model->predict(forest, plan);
        answered |= predicted.has_value();
        search.tell(plan, predicted ? std::optional(predicted->seconds) : std::nullopt);
        found.emplace_back(predicted ? predicted->seconds : HUGE_VAL, std::move(plan));
      }
    }
    if (!answered) fail(kNoModel, {}, by_, "it does not say");
    std::stable_sort(found.begin(), found.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<Plan> result;
    for (auto &[_, plan] : found)
      if (result.size() < context.wanted) result.push_back(std::move(plan));
    return result;
  }

  std::optional<Prediction> predict(const Forest &forest, const Plan &plan) override {
    const std::unique_ptr<Heuristic> model = others_ ? others_(by_) : nullptr;
    return model ? model->predict(forest, plan) : std::nullopt;
  }

private:
  std::string by_;
  std::size_t plans_;
  std::uint64_t seed_;
  Others others_;
};

} // namespace
} // namespace tangram

TANGRAM_PLUGIN("evolutionary", "1.0", "plans by evolution") {
  tangram::HeuristicDescriptor descriptor;
  descriptor.name = "evolutionary";
  descriptor.summary = "mutates and crosses derivations, and keeps those that another heuristic predicts to be fast";
  descriptor.options = {
      {"by", "the heuristic whose model of time says how fit a plan is", std::string("model"), {}, {}, {}},
      {"plans", "so many are looked at", std::int64_t{1000}, 1, 1000000, {}},
      {"seed", "the same seed comes to the same plans", std::int64_t{1}, 0, {}, {}}};
  descriptor.create = [](const tangram::OptionValues &options) {
    return std::make_unique<tangram::Evolutionary>(options);
  };
  registry.heuristics.add(descriptor);
}
