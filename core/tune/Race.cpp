#include "Race.h"

#include "tangram/diag/Diagnostic.h"
#include "tangram/process/Children.h"
#include "tangram/verify/TimedCalls.h"

#include <algorithm>
#include <map>
#include <set>
#include <thread>

namespace tangram::tune {

using namespace runtime;

namespace {

constexpr DiagnosticKind kPlainest{"tune.plainest-fails", DiagnosticClass::User,
                                   "the plainest plan for the same target gives nothing to compare with: {0}",
                                   "`tangram verify` tells which codelet is at fault"};

using Clock = std::chrono::steady_clock;

constexpr double kTurn = 0.01;          // seconds of measured work in one turn ...
constexpr std::size_t kMostInTurn = 20; // ... as far as so many calls take that ...
constexpr std::size_t kLeastInTurn = 3; // ... and so many in any case, since one may be hit by noise, ...
constexpr double kShort = 0.1;          // ... of calls that take less than this
constexpr std::chrono::microseconds kQuiet(500);
constexpr double kGrace = 2; // seconds behind the deadline for what is being called

/// The work of one child.
class Contest {
public:
  Contest(const std::vector<Entrant> &entrants, std::vector<Trial> &trials, const RaceOptions &options,
          const Send &send)
      : entrants_(entrants), trials_(trials), options_(options), send_(send) {}

  void run() {
    for (const Entrant &e : entrants_) {
      begin(e);
      libraries_.try_emplace(e.library, e.library);
    }
    if (!options_.plainest.empty()) {
      const KernelLibrary plainest(options_.plainest);
      for (Trial &trial : trials_)
        if (CallResult result = expectBits(trial, plainest.get(options_.plainestEntry)); !result.ok())
          return send_({"nothing", result.message});
    }
    // What one that is wrong has done to this process, or to the device, must not meet the others.
    for (const Entrant &e : entrants_) {
      perturbMemory();
      if (!e.checked && !isRight(e)) return;
    }
    perturbMemory(false);
    time();
  }

private:
  void begin(const Entrant &e) { send_({"at", std::to_string(e.number)}); }
  /// Before something is timed: the parent has written down what it was told of.
  void beginQuietly(const Entrant &e) {
    begin(e);
    std::this_thread::sleep_for(kQuiet);
  }
  void wrong(const Entrant &e, Verdict verdict, const std::string &reason) {
    send_({"wrong", std::to_string(e.number), std::to_string(static_cast<int>(verdict)), reason});
  }
  const tangram_kernel &kernel(const Entrant &e) { return libraries_.at(e.library).get(e.entry); }

  bool isRight(const Entrant &e) {
    for (const Trial &trial : trials_) {
      std::vector<Value> values = copies(trial.arguments);
      begin(e);
      CallResult result = call(kernel(e), values);
      begin(e);
      if (std::optional<PlanFailure> bad = judge(kernel(e), result, values, trial.expected, trial.plain)) {
        const bool called = result.ok() || result.status == TANGRAM_OUT_OF_RANGE;
        wrong(e, called ? Verdict::Wrong : Verdict::Failed, bad->reason + (trial.whole ? ", of whole numbers" : ""));
        return false;
      }
    }
    send_({"right", std::to_string(e.number)});
    return true;
  }

  void time() {
    const std::vector<Value> &original = trials_.back().arguments;
    std::vector<Value> values = copies(original);
    SuccessiveHalving halving(entrants_.size(), options_.halving);
    std::set<std::size_t> warm;
    while (std::optional<std::size_t> who = halving.next()) {
      if (Clock::now() >= options_.deadline) break;
      const Entrant &e = entrants_[*who];
      const Clock::time_point start = Clock::now();
      beginQuietly(e);
      TimedCalls calls(kernel(e), values, original);
      if (!calls.device().empty()) send_({"device", calls.device()});
      auto once = [&] {
        if (calls.changesArguments()) calls.restore();
        return calls.call();
      };
      // Its data is in the device's memory for this turn alone; on the host all use the same.
      if (warm.insert(*who).second || !calls.device().empty()) {
        once();
        beginQuietly(e);
      }
      std::vector<double> seconds{once()};
      const std::size_t least = seconds[0] < kShort ? kLeastInTurn : 1;
      const double wanted = seconds[0] > 0 ? kTurn / seconds[0] : 1;
      const auto more =
          static_cast<std::size_t>(std::clamp(wanted, static_cast<double>(least), static_cast<double>(kMostInTurn)));
      while (seconds.size() < more) seconds.push_back(once());
      if (!calls.status().ok()) return wrong(e, Verdict::Failed, calls.status().message);
      Message m{"timed", std::to_string(e.number)};
      for (double s : seconds) m.push_back(fmt::format("{}", s));
      send_(m);
      halving.took(seconds, std::chrono::duration<double>(Clock::now() - start).count());
    }
    send_({"end"});
  }

  const std::vector<Entrant> &entrants_;
  std::vector<Trial> &trials_;
  const RaceOptions &options_;
  const Send &send_;
  std::map<std::filesystem::path, KernelLibrary> libraries_;
};

Verdict verdictOf(const ChildEnd &end) {
  return end.how == ChildEnd::How::Silent ? Verdict::Endless : Verdict::Crashed;
}

} // namespace

void race(std::vector<Entrant> entrants, std::vector<Trial> &trials, const RaceOptions &options,
          const RaceEvents &events) {
  while (!entrants.empty()) {
    std::size_t at = entrants[0].number;
    bool over = false, late = false;
    auto drop = [&](std::size_t number, Verdict verdict, const std::string &reason) {
      std::erase_if(entrants, [&](const Entrant &e) { return e.number == number; });
      events.wrong(number, verdict, reason);
      over = true; // of this child
    };
    // What the child has seen of them: the parent's list changes meanwhile.
    const std::vector<Entrant> now = entrants;
    ChildJob job;
    job.work = [&](const Send &send) {
      try {
        Contest(now, trials, options, send).run();
      } catch (const DiagnosticError &e) {
        send({"error", e.diagnostic.message});
      }
    };
    bool ended = false;
    std::string error;
    job.receive = [&](const Message &m) {
      if (m[0] == "end") ended = true;
      if (m[0] == "error") error = m[1];
      if (m[0] == "nothing") fail(kPlainest, {}, m[1]);
      if (m[0] == "device" && events.device) events.device(m[1]);
      if (m.size() < 2 || m[0] == "error" || m[0] == "device") return;
      const std::size_t number = std::stoull(m[1]);
      if (m[0] == "at") at = number;
      if (m[0] == "wrong") drop(number, static_cast<Verdict>(std::stoi(m[2])), m[3]);
      if (m[0] == "right") {
        for (Entrant &e : entrants)
          if (e.number == number) e.checked = true;
        events.right(number);
      }
      if (m[0] != "timed") return;
      std::vector<double> seconds;
      for (std::size_t i = 2; i < m.size(); ++i) seconds.push_back(std::stod(m[i]));
      events.timed(number, seconds);
    };
    job.ended = [&](const ChildEnd &end) {
      if (ended || over) return;
      if (end.how == ChildEnd::How::Late)
        late = true;
      else if (!error.empty())
        drop(at, Verdict::Failed, error);
      else
        drop(at, verdictOf(end), end.done() ? "ended the whole process" : end.text());
    };
    job.silence = options.silence;
    if (options.deadline != Clock::time_point::max())
      job.deadline =
          options.deadline + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(kGrace));
    Children child(1, options.interrupted);
    child.add(std::move(job));
    child.run();
    if (ended || late) return;
    if (Clock::now() >= options.deadline || (options.interrupted && options.interrupted())) return;
  }
}

} // namespace tangram::tune
