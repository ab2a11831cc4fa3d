// What is fuzzed: each kind of input file, its seeds, and what tangram does with one.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tangram::fuzz {

/// How the work with one input ended, as the driver would.
struct Verdict {
  int exitCode = 0;
  std::string complaint; // why this must not be; empty: as it should
  std::string said;      // the first error
};

struct Subject {
  std::string name, ending;
  std::vector<std::string> seeds;
  /// Works on the file; `number` of the case chooses between targets. May crash or hang: run it in a child process.
  std::function<Verdict(const std::filesystem::path &file, std::uint64_t number)> work;
};

/// source, tilek, target, plan, ast. `sources`: the root of the source tree, where seeds are.
std::vector<Subject> subjects(const std::filesystem::path &sources, const std::filesystem::path &plugins);

} // namespace tangram::fuzz
