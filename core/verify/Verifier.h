// One run of verify(): plans are compiled and called in children, which goes on beside one another.
#pragma once

#include "Agenda.h"
#include "BuildPlans.h"
#include "Shrink.h"
#include "VerifyPlans.h"

#include <set>

namespace tangram::runtime {

/// Between a finding of the plain code and that of the checked one.
inline constexpr const char *kItsCheckedCode = "; its checked code: ";

/// Plans that are compiled into one library.
struct Unit {
  std::vector<std::size_t> plans;
  Session *session = nullptr;
  bool checked = false; // code that checks what it accesses
  bool must = false;    // whatever the time
  std::size_t sets = 0; // the first so many are called
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::vector<BuiltPlan> built{};
  std::size_t from = 0; // sets that are left out in front
  /// Whether both can be called as one.
  bool goesWith(const Unit &other) const {
    return checked == other.checked && !must && !other.must && sets == other.sets && from == other.from &&
           deadline == other.deadline;
  }
};

class Verifier {
public:
  Verifier(Session &session, const std::string &spectrum, const VerifyOptions &options);
  VerifyReport run();

private:
  using Clock = std::chrono::steady_clock;

  /// What is known of a plan.
  struct State {
    bool begun = false;
    std::optional<BuiltPlan> built;
    std::size_t calls = 0, checkedCalls = 0, left = 0; // sets; `left`: by patience
    bool cut = false;                                  // time was up
    std::string unfit;
    std::optional<Diagnostic> refused;
    std::optional<PlanFailure> failure;
    std::string checkedFinding; // what its checked code says
    bool passes() const { return calls > 0 && !failure; }
  };

  void checkArguments() const;
  /// Of sets with many elements, one of each shape comes before a second of any: there may be no time for all.
  void shapesByTurns();
  void setDeadline(double seconds); // from the start
  std::size_t addPlan(const Plan &plan);
  void keepSpectrum();

  // ---- compiling (Verifier.cpp) ----

  void begin(const Agenda &agenda);
  std::size_t addUnits(std::size_t from, std::size_t to, Session &session);
  /// For code that checks what it accesses; null where no pass of the target's makes checks.
  Session *checkedSession();
  void addChecked(const Agenda &agenda);
  /// The plainest plan in wider types and, where floats must be the same, for the target itself; by a child, while
  /// plans are compiled.
  void buildBaseline();
  /// Where references of many whole numbers would take long.
  void buildLight();
  void compile(Unit unit, bool first = false);
  void compiled(Unit unit, const BuildOutcome &outcome);

  // ---- calling (VerifierCalls.cpp) ----

  /// What has been built while others were called is called together: what it is compared with is computed once for
  /// all. Several at a time only where there is nothing left to compile, or much to call: a device's driver may compile
  /// then.
  void callReady();
  void call(Unit unit);
  /// All plans with few elements come before any with many, whose reference may take all the time there is.
  void callWithMany();
  /// With the meaning of the source, where the plainest plan can be composed for the target.
  Baseline interpreted() const;
  void callInChild(const Unit &unit, const std::vector<ArgumentSet> &sets, Clock::time_point end, const Send &send);
  void receive(const Message &m, const Unit &unit);
  void progress();

  // ---- what is at fault (Blame.cpp) ----

  bool isInterrupted() const { return options_.interrupted && options_.interrupted(); }
  bool inTime(Clock::time_point end) const { return Clock::now() < end && !isInterrupted(); }
  /// Which of these plans fail; nothing where time is up.
  std::optional<std::vector<bool>> failing(const std::vector<Plan> &plans, bool checked, std::size_t sets,
                                           Clock::time_point end);
  std::size_t setOf(const PlanFailure &failure) const;
  /// Calls a plan that passes with many small arguments: what is wrong may not have shown by chance.
  std::optional<SmallInput> tryHarder(std::size_t plan, Clock::time_point end);
  /// What a plan's checked code says with the arguments of a failure, or with fewer; empty: nothing.
  std::string checkedFinding(const Plan &plan, const PlanFailure &failure, Clock::time_point end);
  /// Plans that were called, and whether they fail; as checked code alone.
  std::pair<std::vector<Plan>, std::vector<bool>> outcomes(bool checked = false) const;
  void blame();

  // ---- the report (VerifierReport.cpp) ----

  void finish();
  void refuse(const Diagnostic &d);

  Session &session_;
  const VerifyOptions &options_;
  const ast::Spectrum &spectrum_;
  const Forest &forest_;
  Derivations derivations_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point deadline_ = Clock::time_point::max();
  VerifyReport report_;
  std::unique_ptr<Session> quick_, checked_;
  std::vector<ArgumentSet> sets_;
  std::vector<std::string> skippedSets_, brokenSets_; // why
  std::vector<Plan> plans_;                           // the report's, then what was made to find the cause
  std::vector<State> states_;
  std::map<std::string, std::size_t> byKey_;
  std::string outOfRange_;
  std::set<std::string> interpreted_; // sets
  bool undefined_ = false;            // of some the source has no outcome
  Baseline baseline_;
  bool baselineBuilt_ = false;
  std::size_t fewSets_ = 0; // of sets_, those that come first; 0: all come at once
  double perElement_ = 0;   // seconds that the reference took of these
  std::size_t decided_ = 0;
  std::vector<Unit> ready_;                 // to be called
  std::size_t compiling_ = 0, calling_ = 0; // plans; units
  Children children_{std::max(1u, options_.jobs), options_.interrupted};
};

} // namespace tangram::runtime
