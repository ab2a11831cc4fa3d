// From facts to plans.
#include "Impl.h"

#include "tangram/compose/Count.h"

#include <algorithm>

namespace tangram {

namespace {

constexpr DiagnosticKind kUnknownSpectrum{"session.unknown-spectrum", DiagnosticClass::User,
                                          "the program has no spectrum '{0}'", "use {1}"};
constexpr DiagnosticKind kRangeFromOutside{
    "session.range-from-outside", DiagnosticClass::User,
    "spectrum '{0}' cannot be an entry: '{1}' is an index range wherever the program calls it, and is taken for one; a "
    "container from outside could have an index twice",
    "compile a spectrum that calls '{0}' with range(n), and takes the number n"};
constexpr DiagnosticKind kPassedOver{
    "session.passed-over", DiagnosticClass::Limitation,
    "{0} that heuristic '{1}' likes better for '{2}' cannot be used; of the first: {3}",
    "the best of those that fit is taken; fewer workers in the target's levels leave more for each", Severity::Warning};
constexpr DiagnosticKind kRemark{"session.remark", DiagnosticClass::User, "heuristic '{0}': {1}",
                                 "`tangram heuristics {0}` says what it can be told", Severity::Warning};
constexpr DiagnosticKind kNoPlan{"session.no-plan", DiagnosticClass::Bug,
                                 "heuristic '{0}' chose no plan for '{1}', although there are {2}",
                                 "report it to the author of the heuristic"};

} // namespace

void Session::setExpected(ExpectedSizes sizes) {
  impl_->expected = std::move(sizes);
  impl_->forests.clear();
}

const ExpectedSizes &Session::expected() const { return impl_->expected; }

const Forest &Session::forest(const std::string &spectrum) {
  std::unique_ptr<Forest> &forest = impl_->forests[spectrum];
  if (forest) return *forest;
  std::vector<std::string> names;
  for (const ast::Spectrum *s : module().spectrums) names.push_back(s->name);
  if (std::find(names.begin(), names.end(), spectrum) == names.end())
    fail(kUnknownSpectrum, {}, spectrum, suggest(spectrum, names));
  const Facts &known = facts();
  for (const ast::Spectrum *s : module().spectrums)
    for (unsigned i = 0; s->name == spectrum && i < s->params.size(); ++i)
      if (known.races.ranges.count({spectrum, i}))
        fail(kRangeFromOutside, s->params[i]->range, spectrum, s->params[i]->name);
  auto made = impl_->run("planner", spectrum, [&] {
    auto result =
        std::make_unique<Forest>(module(), target().hardware, known, spectrum, target().depth, impl_->expected);
    requirePlans(*result);
    return result;
  });
  forest = std::move(made);
  return *forest;
}

std::vector<std::string> Session::entrySpectrums() {
  std::set<std::string> called;
  std::vector<std::string> all, entries;
  for (const ast::Spectrum *s : module().spectrums)
    for (const std::string &callee : callees(*s))
      if (callee != s->name) called.insert(callee);
  for (const ast::Spectrum *s : written().spectrums) all.push_back(s->name); // what expanders made is for their calls
  for (const std::string &name : all)
    if (!called.count(name)) entries.push_back(name);
  return entries.empty() ? all : entries;
}

std::vector<Plan> Session::choose(const std::string &spectrum, HeuristicContext &context) {
  const Forest &f = forest(spectrum);
  const auto [name, heuristic] = impl_->heuristic(target());
  std::vector<Plan> plans = impl_->run("heuristic", name, [&] { return heuristic->choose(f, context); });
  for (const std::string &remark : context.remarks)
    if (impl_->remarked.insert(remark).second) diags().report(kRemark, {}, name, remark);
  if (plans.empty()) fail(kNoPlan, target().pipeline.heuristic.range, name, spectrum, f.count().str());
  for (Plan &plan : plans) plan.target = target().name;
  return plans;
}

std::unique_ptr<Heuristic> Session::heuristic(const std::string &name) {
  return impl_->heuristic(target(), name.empty() ? impl_->options.heuristic : name).second;
}

std::optional<Prediction> Session::predict(const Plan &plan) {
  const Forest &f = forest(plan.spectrum);
  if (!plan.cases.empty()) return {}; // sizes say which of them it is
  const auto [name, heuristic] = impl_->heuristic(target());
  return impl_->run("prediction", name, [&] { return heuristic->predict(f, plan); });
}

Plan Session::pick(const std::string &spectrum, HeuristicContext &context) {
  constexpr std::size_t kTried = 32;
  Plan favourite = choose(spectrum, context)[0];
  std::string why = unfit(favourite);
  if (why.empty()) return favourite;
  HeuristicContext more;
  more.wanted = kTried;
  more.seed = context.seed;
  std::vector<Plan> plans = choose(spectrum, more);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (!unfit(plans[i]).empty()) continue;
    diags().report(kPassedOver, {}, i == 1 ? "a plan" : fmt::format("{} plans", i), impl_->heuristic(target()).first,
                   spectrum, why);
    return plans[i];
  }
  return favourite;
}

} // namespace tangram
