// Candidates that were built: each is checked, then those that are right are timed by turns; all in child processes, so
// that one that crashes, hangs or leaves its device unusable is alone with that.
#pragma once

#include "tangram/tune/Database.h"
#include "tangram/tune/Halving.h"
#include "tangram/verify/Trial.h"

#include <chrono>
#include <filesystem>
#include <functional>

namespace tangram::tune {

/// A candidate, by its number for whoever asks, and where its kernel is.
struct Entrant {
  std::size_t number = 0;
  std::filesystem::path library;
  std::string entry;
  bool checked = false; // and right
};

struct RaceOptions {
  HalvingOptions halving;
  double silence = 30; // seconds that one call may take
  /// Where floats must be the same to the last bit: the plainest plan for the same target.
  std::filesystem::path plainest;
  std::string plainestEntry;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::function<bool()> interrupted;
};

struct RaceEvents {
  std::function<void(std::size_t number)> right;
  std::function<void(std::size_t number, Verdict verdict, const std::string &reason)> wrong;
  std::function<void(std::size_t number, const std::vector<double> &seconds)> timed;
  std::function<void(const std::string &device)> device; // that the kernels run on, where that is not the host
};

/// Nobody is timed before all have been checked with every trial. Ends when the race is over, or at the deadline.
void race(std::vector<Entrant> entrants, std::vector<runtime::Trial> &trials, const RaceOptions &options,
          const RaceEvents &events);

} // namespace tangram::tune
