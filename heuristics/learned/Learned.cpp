// Plans by a model that has been corrected by what the tuner's database knows of this target.
#include "Corrections.h"

#include "tangram/compose/Heuristic.h"
#include "tangram/planning/EvolutionarySearch.h"
#include "tangram/plugin/Plugin.h"

#include <algorithm>
#include <cmath>

namespace tangram {
namespace {

constexpr DiagnosticKind kNoModel{"learned.no-model", DiagnosticClass::User,
                                  "heuristic 'learned' corrects heuristic '{0}', and {1}",
                                  "name one that has a model of time by the option 'by': model"};

constexpr std::size_t kOfModel = 64;    // plans that the model likes best
constexpr std::size_t kSearched = 300;  // plans that are looked at beside these
constexpr std::size_t kGeneration = 16; // before the next are made of them

void scale(Prediction &node, double factor) {
  node.seconds *= factor;
  node.all *= factor;
  for (Prediction::Part &part : node.parts) part.seconds *= factor;
  for (Prediction &child : node.children) scale(child, factor);
}

class Learned final : public Heuristic {
public:
  explicit Learned(const OptionValues &options) : by_(options.text("by")), database_(options.text("database")) {}

  void meet(const Others &others) override { others_ = others; }

  std::vector<Plan> choose(const Forest &forest, HeuristicContext &context) override {
    if (!model()) fail(kNoModel, {}, by_, "there is none");
    learn(forest.hardware().name);
    if (!corrections_) {
      context.remarks.push_back(fmt::format("{}; '{}' chooses", why_, by_));
      return model()->choose(forest, context);
    }
    HeuristicContext more = context;
    more.wanted = std::max(context.wanted, kOfModel);
    EvolutionarySearch search(forest, forest.hardware().name, context.seed);
    for (Plan &plan : model()->choose(forest, more)) search.suggest(std::move(plan));
    std::vector<std::pair<double, Plan>> found;
    while (found.size() < more.wanted + kSearched) {
      std::vector<Plan> plans = search.next(kGeneration);
      if (plans.empty()) break;
      for (Plan &plan : plans) {
        const std::optional<Prediction> predicted = corrected(forest, plan);
        search.tell(plan, predicted ? std::optional(predicted->seconds) : std::nullopt);
        found.emplace_back(predicted ? predicted->seconds : HUGE_VAL, std::move(plan));
      }
    }
    std::stable_sort(found.begin(), found.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<Plan> result;
    for (auto &[_, plan] : found)
      if (result.size() < context.wanted) result.push_back(std::move(plan));
    return result;
  }

  std::optional<Prediction> predict(const Forest &forest, const Plan &plan) override {
    if (!model()) return {};
    learn(forest.hardware().name);
    return corrected(forest, plan);
  }

private:
  Heuristic *model() {
    if (!model_ && others_) model_ = others_(by_);
    return model_.get();
  }

  /// Once.
  void learn(const std::string &target) {
    if (corrections_ || !why_.empty()) return;
    std::error_code ec;
    if (database_.empty())
      why_ = "it was told of no database of timings (learned:database=FILE)";
    else if (!std::filesystem::exists(database_, ec))
      why_ = fmt::format("there is too little to learn from: no database '{}'", database_);
    else
      corrections_ = learned::fit(tune::Database(database_).samples(target, by_), why_);
  }

  std::optional<Prediction> corrected(const Forest &forest, const Plan &plan) {
    std::optional<Prediction> predicted = model()->predict(forest, plan);
    if (predicted && corrections_) scale(*predicted, corrections_->factor(shares(*predicted)));
    return predicted;
  }

  std::string by_, database_, why_;
  std::optional<learned::Corrections> corrections_;
  std::unique_ptr<Heuristic> model_;
  Others others_;
};

} // namespace
} // namespace tangram

TANGRAM_PLUGIN("learned", "1.0", "plans by a model that timings have corrected") {
  tangram::HeuristicDescriptor descriptor;
  descriptor.name = "learned";
  descriptor.summary = "corrects the parts of another heuristic's model by the tuner's database; with too little data "
                       "that heuristic chooses";
  descriptor.options = {{"by", "the heuristic whose model of time is corrected", std::string("model"), {}, {}, {}},
                        {"database", "what `tangram tune --db` has written", std::string(), {}, {}, {}}};
  descriptor.create = [](const tangram::OptionValues &options) { return std::make_unique<tangram::Learned>(options); };
  registry.heuristics.add(descriptor);
}
