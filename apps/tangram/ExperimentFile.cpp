// Reads an experiment from YAML.
#include "Experiment.h"

#include "../../core/hardware/Yaml.h"
#include "Driver.h"

#include <algorithm>

namespace tangram::driver {
namespace {

using hardware::Yaml;

constexpr DiagnosticKind kNone{"experiment.none", DiagnosticClass::User, "the experiment has no {0}",
                               "write at least one: {1}"};
constexpr DiagnosticKind kBudget{"experiment.budget", DiagnosticClass::User, "a budget of {0} is no {1}",
                                 "write 1 or more"};

std::vector<std::string> words(const Yaml &list, const std::string &what) {
  std::vector<std::string> result;
  for (const Yaml &item : list.items(what)) result.push_back(item.text("an entry of " + what));
  return result;
}

} // namespace

Experiment readExperiment(const std::string &file) {
  static ast::Arena arena; // keeps the file's name for messages
  const std::string text = readFile(file);
  const Yaml root = Yaml::parse(text, arena.internFile(file));
  Experiment result;
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  for (const Yaml::Entry &entry :
       root.entries("an experiment", {"programs", "targets", "heuristics", "plans", "seconds", "seed"})) {
    if (entry.key == "programs") {
      for (const Yaml &item : entry.value.items("'programs'")) {
        ExperimentProgram program;
        for (const Yaml::Entry &of : item.entries("a program", {"file", "spectrum", "arguments"})) {
          if (of.key == "file") program.file = (folder / of.value.text("'file'")).string();
          if (of.key == "spectrum") program.spectrum = of.value.text("'spectrum'");
          if (of.key == "arguments") program.arguments = words(of.value, "'arguments'");
        }
        if (program.file.empty()) fail(kNone, item.range(), "file of a program", "file: sum.tg.cpp");
        result.programs.push_back(std::move(program));
      }
    } else if (entry.key == "targets") {
      result.targets = words(entry.value, "'targets'");
    } else if (entry.key == "heuristics") {
      result.heuristics = words(entry.value, "'heuristics'");
    } else if (entry.key == "plans") {
      result.plans.clear();
      for (const Yaml &item : entry.value.items("'plans'")) {
        const std::uint64_t n = item.integer("a number of plans", 0, 100000);
        if (n == 0) fail(kBudget, item.range(), n, "plan to try");
        result.plans.push_back(n);
      }
      std::sort(result.plans.begin(), result.plans.end());
      result.plans.erase(std::unique(result.plans.begin(), result.plans.end()), result.plans.end());
      if (result.plans.empty()) fail(kNone, entry.range, "plans", "plans: [1, 4, 16]");
    } else if (entry.key == "seconds") {
      result.seconds = entry.value.number("'seconds'");
      if (result.seconds == 0) fail(kBudget, entry.value.range(), 0, "time to try anything");
    } else {
      result.seed = entry.value.integer("'seed'", 0, UINT64_MAX);
    }
  }
  if (result.programs.empty())
    fail(kNone, root.range(), "programs", "programs: [{file: sum.tg.cpp, arguments: [in=random:1M]}]");
  if (result.targets.empty()) fail(kNone, root.range(), "targets", "targets: [cpu-openmp]");
  if (result.heuristics.empty()) fail(kNone, root.range(), "heuristics", "heuristics: [model, random]");
  return result;
}

} // namespace tangram::driver
