#include "Verifier.h"

#include <algorithm>

namespace tangram::runtime {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr std::uint64_t kCheckedElements = 300; // of arguments for code that checks what it accesses
constexpr double kGrace = 2;                    // seconds for what is being called when time is up
constexpr double kTellingElements = 1000;       // what fewer take says nothing of many
constexpr double kLeastCalls = 5;               // seconds that the pick is called, whatever was left of the budget

} // namespace

void Verifier::callReady() {
  while (baselineBuilt_ && !ready_.empty() && calling_ < std::max(1u, options_.jobs)) {
    if (calling_ > 0 && compiling_ > 0 && ready_.size() < 3) return;
    Unit unit = std::move(ready_.front());
    ready_.erase(ready_.begin());
    const std::size_t share = compiling_ > 0 ? ready_.size() : ready_.size() / std::max(1u, options_.jobs);
    for (std::size_t i = 0, taken = 0; i < ready_.size() && taken < share;) {
      if (!unit.goesWith(ready_[i])) {
        ++i;
        continue;
      }
      unit.built.insert(unit.built.end(), ready_[i].built.begin(), ready_[i].built.end());
      ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(i));
      ++taken;
    }
    call(std::move(unit));
  }
}

void Verifier::call(Unit unit) {
  auto u = std::make_shared<Unit>(std::move(unit));
  std::vector<ArgumentSet> sets = sets_;
  if (u->sets) sets.resize(std::min(u->sets, sets.size()));
  if (!u->sets && !u->from && fewSets_ && !decided_) sets.resize(fewSets_);
  sets.erase(sets.begin(), sets.begin() + static_cast<std::ptrdiff_t>(u->from));
  if (u->checked) { // the least is enough for an index that is wrong
    std::size_t small = 1;
    while (small < sets.size() && sets[small].elements() <= kCheckedElements) ++small;
    sets.resize(std::min(small, sets.size()));
  }
  ChildJob job;
  Clock::time_point end = std::min(u->deadline, deadline_);
  auto later = [](Clock::time_point t, double seconds) {
    return t == Clock::time_point::max() ? t : t + std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
  };
  if (u->must) end = std::max(end, later(Clock::now(), kLeastCalls));
  job.deadline = later(end, kGrace);
  job.work = [this, u, sets, end](const Send &send) { callInChild(*u, sets, end, send); };
  job.receive = [this, u](const Message &m) { receive(m, *u); };
  job.ended = [this, u](const ChildEnd &how) {
    --calling_;
    if (how.how == ChildEnd::How::Late)
      for (const BuiltPlan &b : u->built) states_[b.plan].cut = true;
    else if (!how.done())
      for (const BuiltPlan &b : u->built)
        if (!states_[b.plan].failure) states_[b.plan].failure.emplace().reason = "could not be called: " + how.text();
    progress();
    callReady();
  };
  ++calling_;
  job.silence = kEndlessCompiler;
  children_.addFirst(std::move(job));
}

void Verifier::callWithMany() {
  if (!fewSets_ || fewSets_ == sets_.size()) return;
  buildLight();
  // The pick by itself, before the others.
  std::vector<Unit> units(options_.budget > 0 ? 2 : std::max(2u, options_.jobs));
  for (Unit &unit : units) unit.from = fewSets_;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    State &state = states_[i];
    if (!state.built || state.failure || isInterrupted()) continue;
    Unit &unit = i == 0 && report_.pick ? units[0] : units[1 + i % (units.size() - 1)];
    if (inTime(deadline_))
      unit.built.push_back(*state.built);
    else
      state.cut = true;
  }
  for (Unit &unit : units)
    if (!unit.built.empty()) call(std::move(unit));
  children_.run();
}

void Verifier::callInChild(const Unit &unit, const std::vector<ArgumentSet> &sets, Clock::time_point end,
                           const Send &send) {
  VerifyOptions options = options_;
  options.deadline = end;
  BatchEvents events;
  auto number = [&](std::size_t set) { return std::to_string(unit.from + set); };
  events.passed = [&](std::size_t plan, std::size_t) { send({"pass", std::to_string(plan)}); };
  events.took = [&](std::size_t plan, std::size_t set, double seconds) {
    send({"took", std::to_string(plan), number(set), fmt::format("{}", seconds)});
  };
  events.computed = [&](std::size_t set, double seconds) {
    send({"computed", number(set), fmt::format("{}", seconds)});
  };
  events.skipped = [&](std::size_t set, const std::string &why) { send({"skip", number(set), why}); };
  events.slow = [&](std::size_t set) { send({"slow", number(set)}); };
  events.broken = [&](std::size_t set, const std::string &why) { send({"broken", number(set), why}); };
  events.undefined = [&](std::size_t) { send({"undefined"}); };
  events.leftOut = [&](std::size_t plan, std::size_t) { send({"left", std::to_string(plan)}); };
  events.expired = [&] { send({"expired"}); };
  events.failed = [&](std::size_t plan, std::size_t set, const PlanFailure &f) {
    Message m{"fail",     std::to_string(plan),      number(set), f.reason, f.param, f.got,
              f.expected, fmt::format("{}", f.bound)};
    for (std::uint64_t i : f.index) m.push_back(std::to_string(i));
    send(m);
  };
  events.outOfRange = [&](const std::string &message) { send({"out-of-range", message}); };
  events.interpreted = [&](std::size_t set) { send({"interpreted", number(set)}); };
  events.undecided = [&](std::size_t set, Undecided u) { send({"undecided", number(set), u.text()}); };
  callPlans(spectrum_, interpreted(), unit.built, sets, options, events);
}

Baseline Verifier::interpreted() const {
  Baseline baseline = baseline_;
  if (session_.options().checked) return baseline; // checked code says more of an index out of range
  try {
    baseline.meaning = std::make_shared<Meaning>(session_, spectrum_.name);
  } catch (const DiagnosticError &) {
    baseline.meaning = nullptr; // what cannot be composed for this target is compared with another's all the same
  }
  return baseline;
}

void Verifier::receive(const Message &m, const Unit &unit) {
  undefined_ |= m[0] == "undefined";
  if (m[0] == "interpreted") interpreted_.insert(m[1]);
  if (m[0] == "out-of-range" && outOfRange_.empty()) outOfRange_ = m[1];
  if (m[0] == "computed") {
    const auto elements = static_cast<double>(sets_[std::stoull(m[1])].elements());
    if (elements > kTellingElements) perElement_ = std::max(perElement_, std::stod(m[2]) / elements);
  }
  if (m[0] == "skip") skippedSets_[std::stoull(m[1])] = m[2];
  if (m[0] == "slow") baseline_.slow.push_back(sets_[std::stoull(m[1])].shape);
  if (m[0] == "broken") brokenSets_[std::stoull(m[1])] = m[2];
  if (m[0] == "undecided") report_.undecided[sets_[std::stoull(m[1])].text] = Undecided::fromText(m[2]);
  if (m[0] == "expired")
    for (const BuiltPlan &b : unit.built) states_[b.plan].cut = true;
  if (m[0] == "left") ++states_[std::stoull(m[1])].left;
  if (m[0] == "took" && states_[std::stoull(m[1])].built && !unit.checked)
    states_[std::stoull(m[1])].built->forecast.took(std::stod(m[3]), sets_[std::stoull(m[2])].elements());
  if (m[0] != "fail" && m[0] != "pass") return;
  // Of arguments of which the source has no outcome where they are few, it may have none where they are too many to be
  // interpreted.
  if (m[0] == "fail" && undefined_ && !interpreted_.count(m[2])) {
    brokenSets_[std::stoull(m[2])] = "too many to be interpreted, and of fewer the source has no outcome";
    return;
  }
  State &state = states_[std::stoull(m[1])];
  ++(unit.checked ? state.checkedCalls : state.calls);
  if (unit.checked && m[0] == "fail" && m[4].empty()) state.checkedFinding = m[3];
  if (m[0] == "pass") return;
  // Of both, the plain code's failure is the plan's, and what the checked code says of an access is added, once.
  std::string more;
  if (state.failure && state.failure->checkedCode != unit.checked) {
    if (unit.checked) {
      if (m[4].empty() && state.failure->reason.find(kItsCheckedCode) == std::string::npos)
        state.failure->reason += kItsCheckedCode + m[3];
      return;
    }
    if (state.failure->param.empty()) more = kItsCheckedCode + state.failure->reason;
    state.failure.reset();
  }
  if (!state.failure) {
    state.failure.emplace();
    state.failure->checkedCode = unit.checked;
    state.failure->reason = m[3] + more;
    state.failure->param = m[4];
    state.failure->got = m[5];
    state.failure->expected = m[6];
    state.failure->bound = std::stod(m[7]);
    for (std::size_t i = 8; i < m.size(); ++i) state.failure->index.push_back(std::stoull(m[i]));
    state.failure->arguments = sets_[std::stoull(m[2])].text;
  }
  ++state.failure->failed;
}

void Verifier::progress() {
  if (!options_.progress) return;
  std::size_t built = 0, called = 0, left = 0, failing = 0;
  for (const State &s : states_) {
    built += s.built.has_value();
    called += s.calls > 0;
    left += !s.begun;
    failing += s.failure.has_value();
  }
  std::string line = fmt::format("{}: {} plans compiled, {} called, {} left", spectrum_.name, built, called, left);
  if (failing) line += fmt::format(", {} failing", failing);
  double seconds = Seconds(Clock::now() - start_).count();
  line += options_.budget > 0 ? fmt::format("; {:.0f} of {:.0f} s", seconds, options_.budget)
                              : fmt::format("; {:.0f} s", seconds);
  options_.progress(decided_ ? line + "; looking for the cause" : line);
}

} // namespace tangram::runtime
