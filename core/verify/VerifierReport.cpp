#include "Verifier.h"
#include "tangram/verify/OutOfRange.h"

#include <algorithm>

namespace tangram::runtime {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr DiagnosticKind kPlainestFails{"verify.plainest-fails", DiagnosticClass::User,
                                        "the plainest plan of '{0}' gives nothing to compare with: {1}",
                                        "mend its codelets, or say with --arg what its arguments must be, such as "
                                        "index:PARAM or offsets:PARAM{3}; the plan is {2}"};

} // namespace

void Verifier::finish() {
  if (!outOfRange_.empty()) failOutOfRange(outOfRange_, options_.outOfRange);
  sortSets(sets_, skippedSets_, brokenSets_, report_);
  const std::size_t planned = report_.plans.size();
  bool compiles = false;
  PlanRules covered;
  for (std::size_t i = 0; i < planned; ++i) {
    State &state = states_[i];
    compiles |= state.calls > 0 || (state.begun && !state.failure && !state.refused && state.unfit.empty());
    report_.calls.push_back(state.calls);
    report_.leftOut += state.left;
    report_.checkedCode += state.checkedCalls > 0;
    bool called = state.calls > 0 || state.failure;
    if (called) covered.add(rulesOf(plans_[i]));
    if (!state.begun) ++report_.notBegun;
    if (state.begun && state.cut && state.calls + state.left < report_.arguments.size()) ++report_.cutShort;
    if (!state.unfit.empty()) {
      PlanFailure &u = report_.unfit.emplace_back();
      u.plan = i;
      u.reason = state.unfit;
    }
    if (state.refused) refuse(*state.refused);
    if (!state.failure) continue;
    state.failure->plan = i;
    state.failure->called = state.failure->checkedCode ? state.checkedCalls : state.calls;
    report_.failures.push_back(*state.failure);
  }
  for (std::size_t i = 0; i < report_.failures.size(); ++i) report_.simplest.push_back(i);
  auto complexityOf = [&](std::size_t i) { return complexity(*plans_[report_.failures[i].plan].root); };
  std::stable_sort(report_.simplest.begin(), report_.simplest.end(),
                   [&](std::size_t a, std::size_t b) { return complexityOf(a) < complexityOf(b); });
  const PlanRules &all = derivations_.rules();
  auto among = [](const std::set<std::string> &some, const std::set<std::string> &all) {
    return Coverage{static_cast<std::size_t>(std::count_if(some.begin(), some.end(),
                                                           [&](const std::string &s) { return all.count(s) != 0; })),
                    all.size()};
  };
  report_.codelets = among(covered.codelets, all.codelets);
  report_.rules = among(covered.rules, all.rules);
  report_.seconds = Seconds(Clock::now() - start_).count();
  report_.interrupted = isInterrupted();
  report_.interpreted = interpreted_.size();
  // What is compiled for use must compile.
  bool nothing = report_.checked() == 0 && !report_.refused.empty();
  if (report_.pick && states_[0].refused) throw DiagnosticError(*states_[0].refused);
  if (nothing) throw DiagnosticError(report_.refused[0].diagnostic);
  if (report_.arguments.empty() && compiles && !report_.interrupted)
    fail(kPlainestFails, spectrum_.range, spectrum_.name,
         !report_.broken.empty()    ? report_.broken[0]
         : !report_.skipped.empty() ? report_.skipped[0]
                                    : "there are no arguments",
         report_.plainest, options_.outOfRange.empty() ? "" : "; " + options_.outOfRange);
}

void Verifier::refuse(const Diagnostic &d) {
  for (Refusal &known : report_.refused)
    if (known.diagnostic.message == d.message && known.diagnostic.range.line == d.range.line) {
      ++known.plans;
      return;
    }
  report_.refused.push_back({d, 1});
}

} // namespace tangram::runtime
