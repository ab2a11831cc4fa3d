#include "Verifier.h"

#include <algorithm>

namespace tangram::runtime {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr double kLeastBlame = 10; // seconds to find out what is at fault

} // namespace

std::optional<std::vector<bool>> Verifier::failing(const std::vector<Plan> &plans, bool checked, std::size_t sets,
                                                   Clock::time_point end) {
  if (!inTime(end)) return {};
  std::vector<std::size_t> which;
  Unit unit{{}, checked && checked_ ? checked_.get() : quick_ ? quick_.get() : &session_, checked, false, sets, end};
  for (const Plan &plan : plans) {
    auto known = byKey_.find(key(plan));
    bool isNew = known == byKey_.end();
    which.push_back(isNew ? addPlan(plan) : known->second);
    const State &state = states_[which.back()];
    bool called = (checked ? state.checkedCalls : state.calls) > 0;
    if (isNew || (!called && !state.failure && !state.refused && state.unfit.empty()))
      unit.plans.push_back(which.back());
  }
  // Halves, as there are two cores and more.
  Unit other = unit;
  auto middle = unit.plans.begin() + static_cast<std::ptrdiff_t>((unit.plans.size() + 1) / 2);
  if (options_.jobs > 1 && unit.plans.size() > 1) {
    other.plans.assign(middle, unit.plans.end());
    unit.plans.erase(middle, unit.plans.end());
    compile(std::move(other));
  }
  compile(std::move(unit));
  children_.run();
  std::vector<bool> result;
  bool any = false;
  for (std::size_t p : which) {
    if (!checked && !states_[p].failure) tryHarder(p, end);
    result.push_back(states_[p].failure.has_value());
    any |= result.back();
  }
  if (!any && !inTime(end)) return {};
  return result;
}

std::size_t Verifier::setOf(const PlanFailure &failure) const {
  for (std::size_t i = 0; i < sets_.size(); ++i)
    if (sets_[i].text == failure.arguments) return i + 1;
  return 0;
}

std::optional<SmallInput> Verifier::tryHarder(std::size_t plan, Clock::time_point end) {
  State &state = states_[plan];
  bool judged = state.failure ? !state.failure->arguments.empty() && !state.failure->checkedCode : state.calls > 0;
  if (!judged || !state.built || baseline_.exact() || !inTime(end)) return {};
  VerifyOptions options = options_;
  options.deadline = end;
  const std::vector<std::uint64_t> &sizes = options_.sizes;
  // What fails for none of the arguments that all plans are called with is not asked about large ones again.
  const std::uint64_t most = state.failure && !sizes.empty() ? *std::max_element(sizes.begin(), sizes.end()) : 0;
  std::optional<SmallInput> found =
      smallestInput(spectrum_, interpreted(), state.built->library, state.built->entry, options, most);
  if (found && !state.failure) {
    state.failure.emplace();
    state.failure->arguments = found->arguments;
    state.failure->reason = found->reason;
    state.failure->failed = 1;
    ++state.calls;
  }
  return found;
}

std::string Verifier::checkedFinding(const Plan &plan, const PlanFailure &failure, Clock::time_point end) {
  const std::size_t which = byKey_.at(key(plan));
  if (states_[which].checkedCalls == 0 && inTime(end) && checkedSession()) {
    compile({{which}, checked_.get(), true, false, setOf(failure), end});
    children_.run();
  }
  return states_[which].checkedFinding;
}

std::pair<std::vector<Plan>, std::vector<bool>> Verifier::outcomes(bool checked) const {
  std::pair<std::vector<Plan>, std::vector<bool>> result;
  for (std::size_t i = 0; i < plans_.size(); ++i)
    if ((states_[i].passes() || states_[i].failure) && (!checked || states_[i].checkedCalls > 0)) {
      result.first.push_back(plans_[i]);
      result.second.push_back(states_[i].failure.has_value());
    }
  return result;
}

void Verifier::blame() {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < plans_.size(); ++i)
    if (states_[i].failure) open.push_back(i);
  if (open.empty() || !outOfRange_.empty() || isInterrupted()) return;
  progress();
  deadline_ = Clock::time_point::max(); // the budget's: this has a time of its own
  // Half of the budget more; without one, as long as finding the failures took: slow machines need longer for both.
  double seconds = options_.budget > 0 ? options_.budget / 2 : Seconds(Clock::now() - start_).count();
  seconds = std::max(kLeastBlame, seconds);
  Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
  while (!open.empty() && report_.causes.size() < options_.causes && inTime(end)) {
    std::size_t start = *std::min_element(open.begin(), open.end(), [&](std::size_t a, std::size_t b) {
      return complexity(*plans_[a].root) < complexity(*plans_[b].root);
    });
    const PlanFailure failure = *states_[start].failure;
    Cause cause;
    cause.plan = smallestFailing(
        plans_[start], [&](const Plan &plan) { return derivations_.simpler(plan); },
        [&](const std::vector<Plan> &some) { return failing(some, failure.checkedCode, setOf(failure), end); });
    const State &smallest = states_[byKey_.at(key(cause.plan))];
    cause.arguments = smallest.failure->arguments;
    cause.reason = smallest.failure->reason;
    std::vector<const PlanNode *> nodes = derivations_.peculiar(cause.plan);
    if (std::optional<SmallInput> small = tryHarder(byKey_.at(key(cause.plan)), end)) {
      cause.arguments = small->arguments;
      cause.reason = small->reason;
      cause.values = small->values;
      // Others that have what is peculiar about it, too.
      for (std::size_t i = 0; i < plans_.size(); ++i)
        if (states_[i].passes() && std::any_of(nodes.begin(), nodes.end(), [&](const PlanNode *node) {
              return node->rule == Rule::Select &&
                     hasPart(plans_[i], fmt::format("codelet {} of {}", node->codelet, node->spectrum));
            }))
          tryHarder(i, end);
    }
    const std::string checked = checkedFinding(cause.plan, failure, end);
    if (!failure.checkedCode && !checked.empty()) cause.reason += kItsCheckedCode + checked;
    auto [plans, fails] = outcomes(failure.checkedCode);
    cause.suspects = suspects(plans, fails, cause.plan, nodes);
    // Where calls of a map meet, the map is at fault, and not what it calls.
    if (const std::string home = codeletOfMap(session_.module(), checked); hasPart(cause.plan, home))
      cause.suspects = {suspect(plans, fails, home)};
    // What has the suspect needs no other cause.
    std::erase_if(open, [&](std::size_t i) {
      return i == start || (!cause.suspects.empty() && hasPart(plans_[i], cause.suspects[0].what));
    });
    report_.causes.push_back(std::move(cause));
  }
  // Where several plans were shrunk, what is left over in all of them.
  for (const Cause &cause : report_.causes)
    for (const Suspect &s : cause.suspects)
      if (std::none_of(report_.suspects.begin(), report_.suspects.end(), [&](auto &k) { return k.what == s.what; }))
        report_.suspects.push_back(s);
  if (report_.suspects.empty()) {
    auto [plans, fails] = outcomes();
    report_.suspects = suspects(plans, fails);
  }
  for (Suspect &s : report_.suspects) locate(s, session_.module());
  for (Cause &cause : report_.causes)
    for (Suspect &s : cause.suspects) locate(s, session_.module());
}

} // namespace tangram::runtime
