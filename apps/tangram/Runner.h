// One plan of a spectrum, compiled, compared with a reference, and measured, for `tangram run`.
#pragma once

#include "Driver.h"
#include "RunArguments.h"
#include "RunnerChild.h"

#include "tangram/process/Children.h"
#include "tangram/verify/Reference.h"
#include "tangram/verify/Timing.h"

#include <chrono>

namespace tangram::driver {

struct RunFlags : ProgramFlags {
  std::vector<std::string> arguments;
  std::size_t repeat = 0;
  std::uint64_t seed = 1;
  double timeout = 600;
  double patience = 60; // seconds of references for the arguments that are given, unless `reference` is "full"
  bool progress = false;
  std::string folder;
  std::string reference; // "full", "light"; empty: light where the full one would take too long
};

/// What children found out.
struct Outcome {
  std::string error, refused, outOfRange, differs, device;
  std::vector<std::pair<std::string, std::string>> results; // name and value
  runtime::Measurement time;
  std::uint64_t bytes = 0;
  runtime::UndecidedTrials undecided;
  double reference = 0;              // seconds that it took, in the last check
  bool given = false, whole = false; // results of these agreed, for arguments of the size that was asked for
  bool small = false;                // of smaller ones
  bool checked = false, slow = false, measured = false;
};

/// The chosen plan is checked and measured in children: it may crash, or hang.
class Runner {
public:
  Runner(Driver &driver, const RunFlags &flags, const Call &asked, const Plan &plan, std::filesystem::path folder);

  /// Throws where results differ, or something cannot be called.
  void run();

  Outcome outcome;
  std::string comparedBy; // where it is not the reference alone: a sentence
  const runtime::ReferenceLibrary &reference() const { return full_; }

private:
  using Clock = std::chrono::steady_clock;
  enum class Who : std::uint8_t { Chosen, Reference, Nobody };

  const std::vector<runtime::Value> &original() const { return asked_.arguments.values; }
  RunnerChild child() const { return {library_, name_, original(), flags_.repeat}; }
  void receive(const runtime::Message &m);
  runtime::ChildEnd inChild(const std::function<void(const runtime::Send &)> &work, std::optional<double> ofReference,
                            std::optional<double> ofAll = {});
  void throwFailure(const runtime::ChildEnd &end, bool done) const;
  bool agreed(const Comparison &comparison);
  void check();
  bool agreedByFull(std::optional<double> seconds);
  std::vector<runtime::Trial> agreedOfSmall();
  std::filesystem::path buildLight();
  /// What results were compared with where there was no patience for more: a sentence.
  std::string comparedPartly(const std::vector<runtime::Trial> &small, bool full) const;
  void say(const std::string &doing);
  void showProgress();

  Driver &driver_;
  Session &session_;
  const RunFlags &flags_;
  const Call &asked_;
  const Plan &plan_;
  const std::filesystem::path folder_;
  std::filesystem::path library_; // of the chosen plan, and its entry there
  std::string name_;
  runtime::ReferenceLibrary full_;
  std::vector<bool> unread_;

  std::string stage_ = "compiled kernel"; // what is being called
  std::string doing_, call_;
  Who who_ = Who::Nobody;
  bool small_ = false;      // with smaller arguments
  double spent_ = 0;        // seconds in the reference, but for the call that it is in
  Clock::time_point since_; // when the stage began
};

} // namespace tangram::driver
