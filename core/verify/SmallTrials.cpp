#include "tangram/verify/SmallTrials.h"

#include "VerifyPlans.h"

#include <algorithm>

namespace tangram::runtime {
namespace {

constexpr std::uint64_t kMostOfOne = 1 << 17;    // elements of the arguments of one trial ...
constexpr std::uint64_t kMostOfAll = 1 << 20;    // ... and of all trials
constexpr std::uint64_t kManyElements = 1 << 14; // of arguments that are given

/// Whether the source has an outcome, as far as that can be told of so few elements.
bool hasMeaning(Session &session, const std::string &spectrum, const std::vector<Trial> &trials) {
  try {
    const Meaning meaning(session, spectrum);
    return std::none_of(trials.begin(), trials.end(), [&](const Trial &trial) {
      const std::optional<Meaning::Outcome> outcome = meaning.of(trial.arguments);
      return outcome && !outcome->undefined.empty();
    });
  } catch (const DiagnosticError &) {
    return true; // it cannot be told for this target
  }
}

} // namespace

std::uint64_t elementsOf(const std::vector<Value> &arguments) {
  std::uint64_t elements = 0;
  for (const Value &v : arguments) elements += v.count();
  return elements;
}

std::uint64_t elementsOf(const std::vector<Trial> &trials) {
  std::uint64_t elements = 0;
  for (const Trial &trial : trials) elements += elementsOf(trial.arguments);
  return elements;
}

bool mayTakeLong(const std::vector<Value> &arguments) { return elementsOf(arguments) > kManyElements; }

std::vector<Trial> smallTrials(Session &session, const ast::Spectrum &spectrum, const tangram_kernel &kernel,
                               std::map<std::string, ArgumentSpec> specs, std::uint64_t seed) {
  VerifyOptions options;
  options.sizes = {40, 400, 3000};
  options.randomSizes = 0;
  options.seed = seed;
  options.arguments = std::move(specs);
  for (auto &[_, spec] : options.arguments) spec.sizes.clear();
  std::vector<Trial> trials;
  std::uint64_t elements = 0;
  try {
    std::vector<std::string> skipped;
    for (const ArgumentSet &set : makeArgumentSets(spectrum, options, skipped)) {
      // What was written out, or follows from a condition, may be no smaller.
      if (set.elements() > kMostOfOne || elements + set.elements() > kMostOfAll) continue;
      elements += set.elements();
      Trial trial;
      trial.arguments = makeArguments(spectrum, kernel, set, options);
      trial.whole = set.whole;
      trial.small = true;
      trials.push_back(std::move(trial));
    }
  } catch (const DiagnosticError &) { // as what a file has is no smaller
    return {};
  }
  return hasMeaning(session, spectrum.name, trials) ? std::move(trials) : std::vector<Trial>();
}

std::uint64_t mostElements(const std::vector<Trial> &trials) {
  std::uint64_t most = 0;
  for (const Trial &trial : trials)
    for (const Value &v : trial.arguments) most = std::max(most, v.count());
  return most;
}

std::string comparedLightly(const std::vector<Trial> &small) {
  constexpr std::string_view kPlainest = "with the plainest plan, within 16 times what that rounds by";
  return small.empty() ? fmt::format("the reference would take too long: compared {}", kPlainest)
                       : fmt::format("compared with the reference for arguments of up to {} elements; of this size {}",
                                     mostElements(small), kPlainest);
}

} // namespace tangram::runtime
