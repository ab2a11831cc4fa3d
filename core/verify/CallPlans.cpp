#include "Forecast.h"
#include "VerifyPlans.h"

#include "tangram/verify/Compare.h"
#include "tangram/verify/KernelLibrary.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <set>
#include <sys/time.h>

namespace tangram::runtime {
namespace {

// Seconds that a reference may take, whatever is left of a budget, and the part of what is left that it may.
constexpr double kLeastReference = 2, kShareOfReference = 1.0 / 3;

double secondsOf(const std::function<void()> &work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Ends this process by SIGALRM after so much time; 0: not any more.
void alarmAfter(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6);
  setitimer(ITIMER_REAL, &timer, nullptr);
}

/// Whether `a` has at least as many rows, columns, ... of each argument: no less work is to be expected.
bool atLeast(const Shape &a, const Shape &b) {
  for (std::size_t i = 0; i < a.arguments.size(); ++i) {
    const Shape::Argument &x = a.arguments[i], &y = b.arguments[i];
    for (std::size_t d = 0; d < x.sizes.size(); ++d)
      if (x.sizes[d] < y.sizes[d]) return false;
    if (x.scalar && *x.scalar < *y.scalar) return false;
  }
  return true;
}

/// Ends this process after so much processor time; 0: not any more.
void endAfter(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6);
  setitimer(ITIMER_PROF, &timer, nullptr); // SIGPROF, which nobody handles
}

Message encode(const char *what, std::size_t plan, std::size_t set, const PlanFailure &f) {
  Message m{what,  std::to_string(plan), std::to_string(set),       f.reason, f.param,
            f.got, f.expected,           fmt::format("{}", f.bound)};
  for (std::uint64_t i : f.index) m.push_back(std::to_string(i));
  return m;
}

PlanFailure decode(const Message &m) {
  PlanFailure f;
  f.reason = m[3];
  f.param = m[4];
  f.got = m[5];
  f.expected = m[6];
  f.bound = std::stod(m[7]);
  for (std::size_t i = 8; i < m.size(); ++i) f.index.push_back(std::stoull(m[i]));
  return f;
}

Message encode(const char *what, std::size_t set, const Undecided &u) {
  return {what, "0", std::to_string(set), u.text()};
}

} // namespace

void callPlans(const ast::Spectrum &spectrum, const Baseline &baseline, const std::vector<BuiltPlan> &plans,
               const std::vector<ArgumentSet> &sets, const VerifyOptions &options, const BatchEvents &events,
               bool isolated) {
  constexpr std::size_t kReference = static_cast<std::size_t>(-1);
  std::set<std::size_t> dead;  // plans (by position) that took the process with them, or need not be called again
  std::set<std::size_t> wrong; // plans that failed before
  std::vector<Forecast> forecasts;
  for (const BuiltPlan &plan : plans) forecasts.push_back(plan.forecast);
  std::vector<Shape> slow = baseline.slow;
  double slowest = options.slowest; // seconds that the reference was given
  std::size_t set = 0, position = 0;
  while (set < sets.size()) {
    std::size_t atSet = set, atPosition = position; // what is being called
    bool finished = false;
    // A plan that failed may have written anywhere in its process. What fails there for the first time after it is
    // called once more, in a process of its own.
    bool suspicious = false, again = false;
    auto work = [&](const Send &send) {
      Reference reference(baseline.reference);
      std::optional<Reference> light;
      if (!baseline.light.empty()) light.emplace(baseline.light, ReferenceKind::Light);
      std::optional<KernelLibrary> plainest;
      if (baseline.exact()) plainest.emplace(baseline.plainest);
      std::map<std::filesystem::path, KernelLibrary> libraries;
      for (const BuiltPlan &plan : plans) libraries.try_emplace(plan.library, plan.library);
      bool cut = false;
      auto expired = [&] { return std::chrono::steady_clock::now() >= options.deadline; };
      // What one reference may take of the time that is left, so that those of other arguments have some, too.
      auto patience = [&] {
        if (options.deadline == std::chrono::steady_clock::time_point::max()) return options.slowest;
        const std::chrono::duration<double> left = options.deadline - std::chrono::steady_clock::now();
        return std::min(options.slowest, std::max(kLeastReference, std::round(kShareOfReference * left.count())));
      };
      for (std::size_t s = set; s < sets.size(); ++s) {
        if (cut |= expired(); cut || dead.size() == plans.size()) break;
        if (std::any_of(slow.begin(), slow.end(), [&](const Shape &b) { return atLeast(sets[s].shape, b); })) {
          send({"skip", "0", std::to_string(s), fmt::format("the plainest plan takes {:g} s, or more", slowest)});
          continue;
        }
        slowest = patience();
        send({"call", std::to_string(kReference), std::to_string(s), fmt::format("{}", slowest)});
        const std::vector<Value> original = makeArguments(spectrum, reference.kernel(), sets[s], options);
        std::optional<Meaning::Outcome> said;
        if (baseline.meaning) said = baseline.meaning->of(original);
        if (said && !said->undefined.empty()) {
          send({"undefined", "0", std::to_string(s), said->undefined});
          continue;
        }
        if (isolated) alarmAfter(slowest);
        // Of whole numbers it takes no bounds to know that nothing was rounded.
        Reference::Outcome right;
        bool lightly = false;
        if (light && sets[s].whole && sets[s].elements() > kFewElements) {
          right = light->call(original);
          lightly = right.isExact();
        }
        if (!lightly) right = reference.call(original);
        alarmAfter(0);
        if (!lightly) send({"computed", "0", std::to_string(s), fmt::format("{}", right.seconds)});
        const CallResult &result = right.result;
        if (result.status == TANGRAM_OUT_OF_RANGE)
          return send({"out-of-range", "0", std::to_string(s), result.message});
        if (result.status == TANGRAM_FAILED) {
          send({"broken", "0", std::to_string(s), result.message});
          continue;
        }
        std::string why = result.ok() ? "" : fmt::format("the plainest plan refuses it: {}", result.message);
        if (right.seconds > options.slowest) why = fmt::format("the plainest plan takes {:.1f} s", right.seconds);
        if (!why.empty()) {
          send({"skip", "0", std::to_string(s), why});
          continue;
        }
        std::string outside;
        for (std::size_t i = 0; i < right.expected.size() && outside.empty(); ++i)
          if (std::string stray = right.expected[i].values().strayWrite(); !stray.empty())
            outside = fmt::format("wrote outside of {}: {}", reference.kernel().params[i].name, stray);
        if (!outside.empty()) {
          send({"broken", "0", std::to_string(s), outside});
          continue;
        }
        if (said) {
          const std::string difference = baseline.meaning->difference(original, *said, right);
          send({difference.empty() ? "interpreted" : "broken", "0", std::to_string(s), difference});
          if (!difference.empty()) continue;
        }
        if (right.undecided) send(encode("undecided", s, right.undecided));
        std::vector<Expected> plain;
        if (plainest) {
          std::vector<Value> values = copies(original);
          if (call(plainest->get(baseline.plainestName), values).ok())
            for (Value &v : values) plain.emplace_back(std::move(v));
        }
        for (std::size_t p = s == set ? position : 0; p < plans.size(); ++p) {
          if (dead.count(p)) continue;
          if (cut |= expired(); cut) break;
          if (forecasts[p].tooLong(sets[s].elements(), options.patience)) {
            send({"late", std::to_string(p), std::to_string(s)});
            continue;
          }
          send({"call", std::to_string(p), std::to_string(s)});
          const tangram_kernel &kernel = libraries.at(plans[p].library).get(plans[p].entry);
          std::vector<Value> values = copies(original);
          CallResult outcome;
          if (isolated) perturbMemory();
          endAfter(events.processorSeconds);
          double seconds = secondsOf([&] { outcome = call(kernel, values); });
          endAfter(0);
          perturbMemory(false);
          forecasts[p].took(seconds, sets[s].elements());
          send({"took", std::to_string(p), std::to_string(s), fmt::format("{}", seconds)});
          std::optional<PlanFailure> bad = judge(kernel, outcome, values, right.expected, plain);
          if (bad && lightly) { // something might be rounded in another order
            lightly = false;
            if (Reference::Outcome full = reference.call(original); full.result.ok()) right = std::move(full);
            bad = judge(kernel, outcome, values, right.expected, plain);
          }
          if (bad && suspicious && isolated && !wrong.count(p))
            return send({"again", std::to_string(p), std::to_string(s)});
          if (bad && baseline.meaning && !said) { // so many arguments that they were not interpreted
            said.emplace();
            const std::optional<std::string> undefined = baseline.meaning->undefined(original);
            if (undefined) send({undefined->empty() ? "interpreted" : "undefined", "0", std::to_string(s), *undefined});
            if (undefined && !undefined->empty()) break;
          }
          if (bad) {
            suspicious = true;
            wrong.insert(p);
            if (events.untilFailure) dead.insert(p);
            send(encode("fail", p, s, *bad));
          } else
            send({"pass", std::to_string(p), std::to_string(s)});
        }
      }
      if (cut) send({"expired", "0", "0"});
      send({"end"});
    };
    auto receive = [&](const Message &m) {
      if (m[0] == "end") {
        finished = true;
        return;
      }
      std::size_t p = std::stoull(m[1]), s = std::stoull(m[2]);
      if (m[0] == "call") {
        atPosition = p;
        atSet = s;
        if (p == kReference) slowest = std::stod(m[3]);
      } else if (m[0] == "again") {
        again = true;
      } else if (m[0] == "out-of-range") {
        finished = true;
        events.outOfRange(m[3]);
      } else if (m[0] == "skip") {
        events.skipped(s, m[3]);
      } else if (m[0] == "broken" || m[0] == "undefined") {
        events.broken(s, m[3]);
        if (m[0] == "undefined" && events.undefined) events.undefined(s);
      } else if (m[0] == "interpreted") {
        if (events.interpreted) events.interpreted(s);
      } else if (m[0] == "undecided") {
        events.undecided(s, Undecided::fromText(m[3]));
      } else if (m[0] == "expired") {
        if (events.expired) events.expired();
      } else if (m[0] == "took") { // for the child that goes on where this one crashes
        forecasts[p].took(std::stod(m[3]), sets[s].elements());
        if (events.took) events.took(plans[p].plan, s, std::stod(m[3]));
      } else if (m[0] == "computed") {
        if (events.computed) events.computed(s, std::stod(m[3]));
      } else if (m[0] == "late") {
        events.leftOut(plans[p].plan, s);
      } else if (m[0] == "pass") {
        events.passed(plans[p].plan, s);
      } else {
        suspicious = true;
        wrong.insert(p);
        if (events.untilFailure) dead.insert(p);
        events.failed(plans[p].plan, s, decode(m));
      }
    };
    if (!isolated) return work(receive);
    ChildEnd end = runChild(work, receive, options.timeout + options.slowest);
    if (end.done() && finished) return;
    if (again || (suspicious && !wrong.count(atPosition))) {
      set = atSet;
      position = atPosition == kReference ? 0 : atPosition;
      continue;
    }
    std::string what = end.done() ? "ended the whole process" : end.text();
    if (atPosition == kReference) {
      const bool late = end.how == ChildEnd::How::Signal && end.number == SIGALRM;
      if (late) {
        slow.push_back(sets[atSet].shape);
        if (events.slow) events.slow(atSet);
      }
      if (late || end.how == ChildEnd::How::Silent)
        events.skipped(atSet, fmt::format("the plainest plan takes {:g} s, or more", slowest));
      else
        events.broken(atSet, what);
      set = atSet + 1;
      position = 0;
      continue;
    }
    PlanFailure failure;
    failure.reason = what;
    events.failed(plans[atPosition].plan, atSet, failure);
    dead.insert(atPosition);
    set = atSet;
    position = atPosition + 1;
  }
}

} // namespace tangram::runtime
