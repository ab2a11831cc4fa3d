// What `tangram tune` for one size and for several have in common.
#pragma once

#include "Driver.h"

#include "tangram/tune/Tuner.h"

#include <algorithm>
#include <thread>

namespace tangram::driver {

struct TuneFlags : ProgramFlags {
  std::vector<std::string> arguments, sizes;
  std::string budget = "60s", database, output, folder;
  std::optional<std::string> bundle;
  std::optional<std::size_t> tries;
  std::uint64_t seed = 1;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  double timeout = 30;
  bool reproducible = false, progress = false;
};

/// A plan without the spectrum and target that stand before it.
std::string shortKey(const Plan &plan);
/// "2026-11-24"
std::string today();
std::string progressLine(const std::string &spectrum, const tune::Progress &progress);
/// But for folder, progress and interruptions.
void fill(tune::TuneOptions &options, const TuneFlags &flags);

/// For several sizes: what the command does once the program is open.
int tuneSizes(Driver &driver, const TuneFlags &flags, tune::Database &database);

} // namespace tangram::driver
