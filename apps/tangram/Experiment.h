// An experiment: which heuristic comes how near to the best plan, after how many plans and how much time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tangram::driver {

struct ExperimentProgram {
  std::string file, spectrum; // spectrum: may be empty where there is one
  std::vector<std::string> arguments;
};

struct Experiment {
  std::vector<ExperimentProgram> programs;
  std::vector<std::string> targets, heuristics;
  std::vector<std::size_t> plans{1, 4, 16}; // budgets, in plans that are tried; rising
  double seconds = 60;                      // for timing at each budget
  std::uint64_t seed = 1;
};

/// Throws DiagnosticError with the place in the file.
Experiment readExperiment(const std::string &file);

/// What a heuristic has come to with a budget.
struct ExperimentResult {
  std::string program, target, heuristic;
  std::size_t plans = 0; // the budget
  std::size_t tried = 0; // that there were
  double seconds = 0;    // spent until then: choosing, compiling, checking and timing
  std::optional<double>
      best;          // of the fastest plan until then, timed beside those of the others; nothing: none was right
  double regret = 0; // by the fastest that anybody found; infinite: none was right
  std::string plan;
};

/// Lines of regret, the geometric mean over programs and targets, against plans tried or seconds spent.
std::string regretChart(const std::vector<ExperimentResult> &results, bool bySeconds);

} // namespace tangram::driver
