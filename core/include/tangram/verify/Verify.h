// Every plan of a spectrum against the plainest one: the same arguments, the same results.
#pragma once

#include "tangram/compose/Count.h"
#include "tangram/session/Session.h"
#include "tangram/verify/ArgumentSpec.h"
#include "tangram/verify/Compare.h"

#include <chrono>
#include <map>
#include <optional>

namespace tangram::runtime {

struct VerifyOptions {
  std::vector<std::uint64_t> sizes{0, 1, 2, 31, 1000003};
  std::size_t randomSizes = 3; // more of them, from the seed
  std::uint64_t seed = 1;
  bool all = false;                  // every plan, however many there are
  std::size_t most = 500;            // of more plans than this, some are drawn
  std::optional<std::size_t> sample; // the pick and so many drawn plans, nothing else
  bool exact = false;      // floats must be the same too; always where the target promises to preserve their order
  std::vector<Plan> plans; // these instead
  /// Of all plans, not only of the pick and those that are given: code as the target's own options ask for. Else the
  /// compiler takes little time over it, where the backend has an option 'quick'.
  bool optimized = false;
  double budget = 0;                             // seconds, after which no more plans are begun; 0: as many as it takes
  std::filesystem::path reference;               // of buildReference(), to compare with; empty: it is made
  std::map<std::string, ArgumentSpec> arguments; // of parameters that are not to be made up
  std::string outOfRange;                        // advice where an access is out of range (IndexArguments.h)
  unsigned jobs = 2;
  std::size_t causes = 3; // how many causes of failures are looked for, the smallest case of each; 0: none
  double timeout = 30;    // seconds that a plan may take longer than `slowest` ...
  double slowest = 20;    // ... which the plainest may take: arguments for which it takes longer are skipped
  double patience = 0.25; // a call that would take more seconds, by how long smaller ones took, is left out; so are
                          // more calls of a plan that took 8 times as long in all
  /// Calls are begun up to then; not given to verify(), which has its budget.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::function<bool()> interrupted; // whether to end at once, with what was found so far
  std::filesystem::path folder;      // for sources and libraries, and what check() needs to call them again
  std::function<void(const std::string &line)> progress; // what is done and what is left
};
/// How many plans are drawn of spaces that are too large to check, where neither a sample nor a budget says otherwise.
inline constexpr std::size_t kSample = 200;

/// One plan that fails, by what it did first.
struct PlanFailure {
  std::size_t plan = 0;  // index in VerifyReport::plans
  std::string arguments; // sizes and kind of data; empty: it failed before it was called
  std::string reason;    // "result: got 3, expected 4", "crashed (...)", "does not compile: ..."
  std::string param;     // where a value differs: of what ...
  std::vector<std::uint64_t> index;
  std::string got, expected;
  double bound = 0;
  bool checkedCode = false;           // as code that checks what it accesses; the plain code may do well
  std::size_t failed = 0, called = 0; // argument sets
};

/// What may be at fault: a part of a plan, with how many have it.
struct Suspect {
  std::string what;        // "codelet kog of sum", "codelet kog of sum at block", "distribute from process to thread"
  std::size_t failing = 0; // plans that have it
  std::size_t passing = 0;
  double score = 0;                         // 1: all failing plans have it and no passing one; 0: no failing one
  ast::SourceRange range;                   // of its codelet; nowhere where it is a rule
  std::vector<const ast::Spectrum *> alone; // written ones that no other codelet calls: they may be at fault instead
};

/// The smallest plan and the smallest input that fail, made from plans that failed by replacing parts with plainer
/// ones.
struct Cause {
  Plan plan;
  std::string arguments, reason;   // of the smallest input
  std::vector<std::string> values; // of its arguments, one a line: "in = [1, 0, 1]"; empty: they are too many to show
  std::vector<Suspect> suspects;   // what is left over in the plan that no plainer part may replace
};

/// Plans with which nothing can be done, and why: of each reason once.
struct Refusal {
  Diagnostic diagnostic;
  std::size_t plans = 0;
};

struct Coverage {
  std::size_t checked = 0, of = 0;
};

/// Why no result was compared, where there were as many plans and sets of arguments to call; empty: some were. A check
/// of nothing is not passed.
std::string nothingCompared(std::size_t plans, std::size_t argumentSets);

struct VerifyReport {
  std::string spectrum, target, plainest; // its key
  Count space;                            // plans there are
  bool given = false;                     // `plans` are VerifyOptions::plans
  std::uint64_t seed = 0;
  double seconds = 0, budget = 0;     // taken, and VerifyOptions::budget
  std::vector<Plan> plans;            // that were to be checked, in this order
  std::vector<std::size_t> calls;     // that came to an end, of each plan: with so many sets
  bool pick = false;                  // the pick is the first of `plans`
  std::size_t drawn = 0;              // the last so many of `plans` are drawn
  Coverage codelets, rules;           // of those that some plan has: by plans that were called
  std::size_t hopeless = 0;           // plans that were left out, for what they would do for the least arguments:
  double hopelessCalls = 0;           // so many calls, the one with the fewest
  std::size_t notBegun = 0;           // plans, when the budget ended
  std::size_t cutShort = 0;           // plans that were not called with all arguments then
  bool interrupted = false;           // before the budget ended
  std::size_t checkedCode = 0;        // plans that were also called as code that checks what it accesses
  std::vector<std::string> arguments; // argument sets that were used
  std::vector<std::string> skipped;   // those that were not, and why
  std::vector<std::string> broken;    // those for which the plainest plan itself fails, and how
  std::size_t interpreted = 0;        // sets for which it was compared with what its source says (Semantics.h)
  std::map<std::string, Undecided> undecided; // sets in which roundings decide
  std::size_t leftOut = 0;                    // calls of single plans, by VerifyOptions::patience
  std::vector<PlanFailure> failures;          // by plan
  std::vector<std::size_t> simplest;          // their numbers, the simplest plan first
  std::vector<PlanFailure> unfit; // plans that need more of a resource than the target has: they were not called
  std::vector<Refusal> refused;   // plans that cannot be lowered: what a codelet does has no code there
  std::vector<Cause> causes;      // of failures, the one that explains most of them first
  std::vector<Suspect> suspects;  // of all causes; where none was found, of all plans that were called
  std::size_t checked() const;    // plans that were called, or should have been
  std::string nothing() const { return nothingCompared(checked(), arguments.size()); }
  bool ok() const { return failures.empty() && broken.empty() && nothing().empty(); }
};

/// What check() found.
struct CheckReport {
  std::string spectrum, plainest;
  std::vector<std::string> plans;     // keys
  std::vector<std::string> arguments; // argument sets that were used
  std::vector<std::string> skipped;
  std::vector<std::string> broken;
  std::map<std::string, Undecided> undecided;
  std::size_t leftOut = 0;
  std::vector<PlanFailure> failures; // `plan` is an index into `plans`
  std::string nothing() const { return nothingCompared(plans.size(), arguments.size()); }
  bool ok() const { return failures.empty() && broken.empty() && nothing().empty(); }
};

/// Calls once more what verify() has built in a folder (VerifyOptions::folder, or the spectrum's below it): on another
/// machine, or under a tool that watches memory. Needs no compiler and no plugin. `isolated`: in child processes, so
/// that a crash is one plan's failure. Of `options` only what concerns arguments and time counts.
CheckReport check(const std::filesystem::path &folder, const VerifyOptions &options, bool isolated = true);

/// Checks the pick first, then a plan for each codelet and rule, the simplest ones (Derivations.h), then the rest of
/// the plans or, of a large space, some that are drawn. Throws DiagnosticError where there is nothing to compare with:
/// no plainest plan, or it does not run itself; and where the pick cannot be lowered.
VerifyReport verify(Session &session, const std::string &spectrum, const VerifyOptions &options);

/// The parts of plans (a codelet, a codelet at a level, a rule, an edge of the composition) by how well their presence
/// tells failing plans from passing ones (Ochiai's coefficient), the best first; of those that do it alike the simplest
/// kind, all of that kind; nothing that all plans have.
std::vector<Suspect> suspects(const std::vector<Plan> &plans, const std::vector<bool> &failing);
/// The same of the parts that belong to certain nodes of `plan`.
std::vector<Suspect> suspects(const std::vector<Plan> &plans, const std::vector<bool> &failing, const Plan &plan,
                              const std::vector<const PlanNode *> &nodes);

/// One part, as Suspect::what names it.
Suspect suspect(const std::vector<Plan> &plans, const std::vector<bool> &failing, const std::string &what);
/// Where the source has it: fills in its range, and what it alone calls.
void locate(Suspect &suspect, const ast::Module &module);
/// The codelet with the map of which checked code says that two of its calls touch an element, as Suspect::what names
/// it; empty where `finding` is of another kind.
std::string codeletOfMap(const ast::Module &module, const std::string &finding);

/// Whether a plan has a part, as Suspect::what names it.
bool hasPart(const Plan &plan, const std::string &what);

} // namespace tangram::runtime
