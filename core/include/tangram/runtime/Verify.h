// Every plan of a spectrum against the plainest one: the same arguments, the same results.
#pragma once

#include "tangram/pass/Session.h"
#include "tangram/runtime/ArgumentSpec.h"

#include <set>

namespace tangram::runtime {

struct VerifyOptions {
  std::vector<std::uint64_t> sizes{0, 1, 2, 31, 1000003};
  std::size_t randomSizes = 3; // more of them, from the seed
  std::uint64_t seed = 1;
  bool all = false;        // every plan, however many there are
  std::size_t most = 500;  // more plans than this are sampled
  std::size_t sample = 0;  // how many then; 0: kSample. Said by the user: fewer plans are sampled, too
  bool tunables = false;   // values of tunables are drawn, too; else they are what the plans say
  bool exact = false;      // floats must be the same too; always where the target promises to preserve their order
  std::vector<Plan> plans; // these instead
  std::filesystem::path reference;               // of buildReference(), to compare with; empty: it is made
  std::map<std::string, ArgumentSpec> arguments; // of parameters that are not to be made up
  unsigned jobs = 2;
  std::size_t batch = 24; // the most plans that are compiled into one library
  double timeout = 30;    // seconds that a plan may take longer than `slowest` ...
  double slowest = 20;    // ... which the plainest may take: arguments for which it takes longer are skipped
  double patience = 0.25; // a call that would take more seconds, by how long smaller ones took, is left out; so are
                          // more calls of a plan that took 8 times as long in all
  std::filesystem::path folder; // for sources and libraries, and what check() needs to call them again
  std::function<void(std::size_t done, std::size_t all, const std::string &what)> progress;
};
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
  std::size_t failed = 0, called = 0; // argument sets
};

/// What failing plans have and passing ones have not, or not all of them.
struct Suspect {
  std::string what;        // "codelet kog", "codelet kog at block", "asso_tiled at process -> kog at thread"
  std::size_t failing = 0; // plans that have it
  std::size_t passing = 0;
};

/// Why no result was compared, where there were as many plans and sets of arguments to call; empty: some were. A check
/// of nothing is not passed.
std::string nothingCompared(std::size_t plans, std::size_t argumentSets);

struct VerifyReport {
  std::string spectrum, target, plainest; // its key
  Count space;                            // plans there are
  bool sampled = false;                   // `plans` are drawn from them
  bool given = false;                     // `plans` are VerifyOptions::plans
  bool tunables = false;                  // their tunables have drawn values
  std::uint64_t seed = 0;
  std::vector<Plan> plans;
  std::vector<std::string> arguments; // argument sets that were used
  std::vector<std::string> skipped;   // those that were not, and why
  std::vector<std::string> broken;    // those for which the plainest plan itself fails, and how
  std::set<std::string> undecided;    // sets in which roundings decide comparisons: either outcome was accepted
  std::size_t leftOut = 0;            // calls of single plans, by VerifyOptions::patience
  std::vector<PlanFailure> failures;  // by plan
  std::vector<PlanFailure> unfit;     // plans that need more of a resource than the target has: they were not called
  std::vector<Suspect> suspects;
  std::vector<Suspect> shared; // sharedByFailing(), where no suspect explains all failures
  std::string nothing() const { return nothingCompared(plans.size() - unfit.size(), arguments.size()); }
  bool ok() const { return failures.empty() && broken.empty() && nothing().empty(); }
};

/// What check() found.
struct CheckReport {
  std::string spectrum, plainest;
  std::vector<std::string> plans;     // keys
  std::vector<std::string> arguments; // argument sets that were used
  std::vector<std::string> skipped;
  std::vector<std::string> broken;
  std::set<std::string> undecided;
  std::size_t leftOut = 0;
  std::vector<PlanFailure> failures; // `plan` is an index into `plans`
  std::string nothing() const { return nothingCompared(plans.size(), arguments.size()); }
  bool ok() const { return failures.empty() && broken.empty() && nothing().empty(); }
};

/// Calls once more what verify() has built in a folder (VerifyOptions::folder, or the spectrum's below it): on another
/// machine, or under a tool that watches memory. Needs no compiler and no plugin. `isolated`: in child processes, so
/// that a crash is one plan's failure. Of `options` only what concerns arguments and time counts.
CheckReport check(const std::filesystem::path &folder, const VerifyOptions &options, bool isolated = true);

/// Throws DiagnosticError where there is nothing to compare with: no plainest plan, or it does not run itself.
VerifyReport verify(Session &session, const std::string &spectrum, const VerifyOptions &options);

/// The simplest features (codelet, codelet at level, how a map runs, edge of the composition) that all failing plans
/// share and no passing plan has; where there is no single one, the fewest that explain all failing plans.
std::vector<Suspect> suspects(const std::vector<Plan> &plans, const std::vector<bool> &failing);

/// What all failing plans have, and some passing ones too, but not all: of these features the ones that the fewest
/// passing plans have, the simplest kind of those. A plan that has them may fail: what else it takes, no single feature
/// says.
std::vector<Suspect> sharedByFailing(const std::vector<Plan> &plans, const std::vector<bool> &failing);

} // namespace tangram::runtime
