// What verify() has built, called once more.
#include "VerifyPlans.h"
#include "tangram/ast/Text.h"
#include "tangram/verify/IndexArguments.h"
#include "tangram/verify/KernelLibrary.h"
#include "tangram/verify/OutOfRange.h"

#include <algorithm>
#include <fstream>

namespace tangram::runtime {
namespace {

constexpr DiagnosticKind kNothing{
    "check.nothing", DiagnosticClass::User, "'{0}' has no {1}: it is no folder of verify's",
    "make one: tangram verify PROGRAM --target T -o FOLDER; each spectrum has one below it"};

std::vector<std::filesystem::path> librariesBelow(const std::filesystem::path &folder) {
  std::vector<std::filesystem::path> found;
  if (std::filesystem::is_directory(folder))
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".so") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

const ast::Spectrum &readSpectrum(const std::filesystem::path &folder, ast::Arena &arena) {
  std::ifstream in(folder / kSpectrumFile);
  if (!in) fail(kNothing, {}, folder.string(), kSpectrumFile);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto *spectrum = ast::dyn<ast::Spectrum>(ast::parse(text, arena, (folder / kSpectrumFile).string()));
  if (!spectrum) fail(kNothing, {}, folder.string(), fmt::format("spectrum in {}", kSpectrumFile));
  return *spectrum;
}

} // namespace

CheckReport check(const std::filesystem::path &folder, const VerifyOptions &given, bool isolated) {
  ast::Arena arena;
  const ast::Spectrum &spectrum = readSpectrum(folder, arena);
  VerifyOptions options = given;
  inferIndices({&spectrum}, spectrum, options.arguments, true);
  std::vector<std::filesystem::path> plainest = librariesBelow(folder / kPlainestFolder),
                                     exact = librariesBelow(folder / kExactFolder);
  if (plainest.empty()) fail(kNothing, {}, folder.string(), "reference");

  CheckReport report;
  report.spectrum = spectrum.name;
  report.plainest = Reference(plainest[0]).kernel().plan;
  Baseline baseline{plainest[0], {}, ""};
  if (!exact.empty()) {
    baseline.plainest = exact[0];
    baseline.plainestName = KernelLibrary(exact[0]).kernels()[0]->name;
  }
  std::vector<ArgumentSet> sets = makeArgumentSets(spectrum, options, report.skipped);
  std::vector<std::string> skippedSets(sets.size()), brokenSets(sets.size());
  for (const std::filesystem::path &file : librariesBelow(folder)) {
    if (file == baseline.reference || file == baseline.plainest) continue;
    std::vector<BuiltPlan> entries;
    {
      KernelLibrary library(file);
      for (const tangram_kernel *kernel : library.kernels()) {
        if (kernel->spectrum != spectrum.name) continue;
        entries.push_back({report.plans.size(), file, kernel->name});
        report.plans.emplace_back(kernel->plan);
      }
    }
    std::map<std::size_t, PlanFailure> failures;
    std::map<std::size_t, std::size_t> called;
    BatchEvents events;
    events.passed = [&](std::size_t plan, std::size_t) { ++called[plan]; };
    events.leftOut = [&](std::size_t, std::size_t) { ++report.leftOut; };
    events.skipped = [&](std::size_t set, const std::string &why) { skippedSets[set] = why; };
    events.broken = [&](std::size_t set, const std::string &why) { brokenSets[set] = why; };
    events.undecided = [&](std::size_t set, Undecided u) { report.undecided[sets[set].text] = u; };
    events.outOfRange = [](const std::string &message) { failOutOfRange(message); };
    events.failed = [&](std::size_t plan, std::size_t set, PlanFailure failure) {
      ++called[plan];
      failure.plan = plan;
      failure.arguments = sets[set].text;
      auto [first, isNew] = failures.emplace(plan, std::move(failure));
      ++first->second.failed;
    };
    callPlans(spectrum, baseline, entries, sets, options, events, isolated);
    for (auto &[plan, failure] : failures) {
      failure.called = called[plan];
      report.failures.push_back(std::move(failure));
    }
    if (options.progress) options.progress(fmt::format("{}: {} plans called", spectrum.name, report.plans.size()));
  }
  sortSets(sets, skippedSets, brokenSets, report);
  return report;
}

} // namespace tangram::runtime
