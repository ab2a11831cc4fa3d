// The parts of verify(): which arguments, and one batch of plans in a child process.
#pragma once

#include "Forecast.h"
#include "Meaning.h"

#include "tangram/process/Children.h"
#include "tangram/verify/Reference.h"
#include "tangram/verify/Shapes.h"
#include "tangram/verify/Trial.h"
#include "tangram/verify/Verify.h"

namespace tangram::runtime {

/// One set of arguments, described: made in the child that needs it.
struct ArgumentSet {
  Shape shape;
  bool whole = false; // small whole numbers, else random in [-1, 1] and [-10, 10]
  WholePass pass;     // of these (WholeNumbers.h)
  Layout layout;
  Spread spread = Spread::Random; // of arguments that are offsets
  std::uint64_t seed = 0;
  std::string text;
  std::uint64_t elements() const; // of all arguments
};

/// The sets for all sizes, fewest elements first; sizes for which the spectrum's conditions cannot be met are named in
/// `skipped`.
std::vector<ArgumentSet> makeArgumentSets(const ast::Spectrum &spectrum, const VerifyOptions &options,
                                          std::vector<std::string> &skipped);

/// The values of a set, the result last.
std::vector<Value> makeArguments(const ast::Spectrum &spectrum, const tangram_kernel &kernel, const ArgumentSet &set,
                                 const VerifyOptions &options);

/// Plans are called with so many elements of all arguments before any is with more, whose reference may take long.
inline constexpr std::uint64_t kFewElements = 20000;

/// What a batch says of its plans. Sets and plans by index.
struct BatchEvents {
  bool untilFailure = false;   // a plan that has failed is not called again
  double processorSeconds = 0; // that a call may take, however busy the machine is; 0: VerifyOptions::timeout alone
  std::function<void(std::size_t plan, std::size_t set, PlanFailure failure)> failed;
  std::function<void(std::size_t plan, std::size_t set)> passed;
  std::function<void(std::size_t set, const std::string &why)> skipped;
  std::function<void(std::size_t set)> slow; // skipped since the plainest plan took too long; may be empty
  std::function<void(std::size_t set, const std::string &why)> broken; // the plainest plan itself fails
  std::function<void(std::size_t set)> undefined;                      // since the source has no outcome; may be empty
  std::function<void(std::size_t set)> interpreted;                    // Baseline::doubt found nothing wrong
  std::function<void(std::size_t set, Undecided undecided)> undecided;
  std::function<void(std::size_t plan, std::size_t set)> leftOut;
  std::function<void(std::size_t plan, std::size_t set, double seconds)> took; // may be empty
  std::function<void(std::size_t set, double seconds)> computed;               // the reference of a set; may be empty
  std::function<void()> expired;                              // VerifyOptions::deadline came before all was called
  std::function<void(const std::string &message)> outOfRange; // the plainest plan, checked: nothing is called any more
};

/// What plans are compared with.
struct Baseline {
  std::filesystem::path reference; // of buildReference()
  /// Where floats must be the same to the last bit: the library of the plainest plan for the same target, and its
  /// entry.
  std::filesystem::path plainest;
  std::string plainestName;
  std::filesystem::path light{}; // a light reference, for whole numbers of which there are many; empty: none
  std::vector<Shape> slow{};     // of arguments for which the plainest plan took too long; larger ones are skipped, too
  std::shared_ptr<const Meaning> meaning{}; // what the reference is compared with itself; null: nothing
  bool exact() const { return !plainest.empty(); }
};

/// A plan as it was built: its number, and where its kernel is.
struct BuiltPlan {
  std::size_t plan = 0;
  std::filesystem::path library;
  std::string entry;
  Forecast forecast{}; // from what it was called with before
};

/// Calls the kernels of plans with every set and compares with `baseline`, each call guarded: what crashes or hangs is
/// that plan's failure and the others go on. What they are compared with is computed once for all of them; of many
/// whole numbers by baseline.light, where nothing is rounded, unless a plan fails. A plan that
/// takes far longer than others (parts of parts of single elements) is left out of the sets that would cost more than
/// options.patience. Not `isolated`: all in this process, unguarded.
void callPlans(const ast::Spectrum &spectrum, const Baseline &baseline, const std::vector<BuiltPlan> &plans,
               const std::vector<ArgumentSet> &sets, const VerifyOptions &options, const BatchEvents &events,
               bool isolated = true);

/// Tells a report which sets were used, and which were not. Why not, of each set, or empty: `skipped`, `broken`.
template <class Report>
void sortSets(const std::vector<ArgumentSet> &sets, const std::vector<std::string> &skipped,
              const std::vector<std::string> &broken, Report &report) {
  for (std::size_t i = 0; i < sets.size(); ++i)
    if (!broken[i].empty())
      report.broken.push_back(sets[i].text + ": " + broken[i]);
    else if (!skipped[i].empty())
      report.skipped.push_back(sets[i].text + ": " + skipped[i]);
    else
      report.arguments.push_back(sets[i].text);
}

/// What verify() leaves in its folder beside the libraries: the spectrum, as a textual AST, the reference and, where
/// floats must be the same to the last bit, the plainest plan for the same target.
inline constexpr const char *kSpectrumFile = "spectrum.ast", *kPlainestFolder = "plainest", *kLightFolder = "light",
                            *kExactFolder = "exact";

} // namespace tangram::runtime
