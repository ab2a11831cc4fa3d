#include "Agenda.h"

#include "tangram/compose/Count.h"
#include "tangram/planning/PredictedCalls.h"

#include <algorithm>
#include <set>

namespace tangram::runtime {
namespace {

constexpr DiagnosticKind kTooMany{"verify.too-many", DiagnosticClass::Limitation,
                                  "'{0}' has {1} plans, too many to verify every one",
                                  "draw some of them: --sample 1000"};
constexpr std::size_t kMostListed = 1000000;
constexpr double kDrawnPerSecond = 10; // of a budget: more than can be checked

class Maker {
public:
  Maker(Session &session, const Forest &forest, const Derivations &derivations, const VerifyOptions &options,
        const ExpectedSizes &least)
      : session_(session), forest_(forest), derivations_(derivations), options_(options), least_(least),
        random_(options.seed) {}

  Agenda make() {
    pick();
    const bool listed = options_.all || forest_.count() <= options_.most;
    if (options_.all && forest_.count() > kMostListed) fail(kTooMany, {}, forest_.spectrum(), forest_.count().str());
    if (!options_.sample) cover();
    if (listed && (!options_.sample || forest_.count() <= *options_.sample))
      others();
    else
      draw();
    return std::move(agenda_);
  }

private:
  /// True where the plan stands on the agenda now, or did before.
  bool add(Plan plan) {
    plan.target = session_.target().name;
    if (double calls = predictedCalls(plan, session_.module(), forest_.hardware(), least_); calls > kHopelessCalls) {
      if (!seen_.insert(key(plan)).second) return false;
      ++agenda_.hopeless;
      agenda_.hopelessCalls = agenda_.hopeless == 1 ? calls : std::min(agenda_.hopelessCalls, calls);
      return false;
    }
    if (!seen_.insert(key(plan)).second) return false;
    agenda_.plans.push_back(std::move(plan));
    return true;
  }

  /// What is compiled for use, as it is.
  void pick() {
    // That others would have been liked better is no news of what is right.
    std::vector<Diagnostic> before = session_.diags().take();
    HeuristicContext context;
    Plan plan = session_.pick(forest_.spectrum(), context);
    session_.diags().take();
    for (Diagnostic &d : before) session_.diags().add(std::move(d));
    seen_.insert(key(plan));
    agenda_.plans.push_back(std::move(plan));
    agenda_.pick = true;
  }

  void cover() {
    PlanRules covered;
    for (Plan &plan : derivations_.cover()) {
      std::set<std::string> codelets = rulesOf(plan).codelets;
      bool more = std::any_of(codelets.begin(), codelets.end(),
                              [&](const std::string &c) { return covered.codelets.insert(c).second; });
      for (const std::string &c : codelets) covered.codelets.insert(c);
      add(std::move(plan));
      if (!more) continue;
      // The pick may be it.
      auto at = std::find_if(agenda_.plans.begin(), agenda_.plans.end(),
                             [&](const Plan &p) { return rulesOf(p).codelets == codelets; });
      if (at != agenda_.plans.end()) agenda_.codelets.push_back(static_cast<std::size_t>(at - agenda_.plans.begin()));
    }
  }

  void others() {
    std::vector<std::pair<unsigned, Plan>> plans;
    forest_.enumerate([&](const Plan &plan) {
      plans.emplace_back(complexity(*plan.root), plan);
      return true;
    });
    std::stable_sort(plans.begin(), plans.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    for (auto &[_, plan] : plans) add(std::move(plan));
  }

  void draw() {
    std::size_t wanted = options_.sample.value_or(
        std::max(kSample, static_cast<std::size_t>(std::min(options_.budget, 1e5) * kDrawnPerSecond)));
    // Where there are few plans for how many are wanted, draws that hit one again are not endless.
    for (std::size_t draws = 0; agenda_.drawn < wanted && draws < 50 * wanted; ++draws)
      agenda_.drawn += add(derivations_.draw(random_));
  }

  Session &session_;
  const Forest &forest_;
  const Derivations &derivations_;
  const VerifyOptions &options_;
  const ExpectedSizes &least_;
  std::mt19937_64 random_;
  std::set<std::string> seen_; // keys
  Agenda agenda_;
};

} // namespace

Agenda makeAgenda(Session &session, const Forest &forest, const Derivations &derivations, const VerifyOptions &options,
                  const ExpectedSizes &least) {
  if (options.plans.empty()) return Maker(session, forest, derivations, options, least).make();
  Agenda agenda;
  for (Plan plan : options.plans) {
    plan.target = session.target().name;
    agenda.plans.push_back(std::move(plan));
  }
  return agenda;
}

} // namespace tangram::runtime
