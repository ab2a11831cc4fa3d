// What must come out of the trials of a search for plans.
#pragma once

#include "tangram/process/Children.h"
#include "tangram/tune/Tuner.h"
#include "tangram/verify/Reference.h"
#include "tangram/verify/Trial.h"

namespace tangram::tune {

inline constexpr DiagnosticKind kInterrupted{"tune.interrupted", DiagnosticClass::User,
                                             "interrupted before a plan of '{0}' was timed", ""};

/// A test oracle: builds the reference, calls it in children, in which it may crash, and knows what it said.
class Oracle {
public:
  using Clock = std::chrono::steady_clock;
  /// All lives as long as this does. `end`: when there must be an answer.
  Oracle(Session &session, std::string spectrum, const std::vector<runtime::Value> &arguments,
         const TuneOptions &options, Clock::time_point end, std::function<void(const std::string &doing)> progress)
      : session_(session), spectrum_(std::move(spectrum)), arguments_(arguments), options_(options), end_(end),
        progress_(std::move(progress)) {}

  /// What results are compared with, by a child, while plans are compiled.
  void build(runtime::Children &children);
  /// What must come out, for all trials: by the reference where that takes a small part of the time there is. Where it
  /// does not, smaller arguments are compared with it, and these with a light one.
  void expectResults();

  std::vector<runtime::Trial> &trials() { return trials_; }
  /// The key of the plan that is compared with.
  const std::string &plan() const { return plan_; }
  /// The plainest plan for the target, where floats must be the same to the last bit.
  const Workshop::Kernel &exact() const { return exact_; }
  /// With what, where the reference would have taken too long: a sentence.
  const std::string &comparedBy() const { return comparedBy_; }
  const runtime::UndecidedTrials &undecided() const { return undecided_; }

private:
  bool isInterrupted() const { return options_.interrupted && options_.interrupted(); }
  /// In a child, in which a reference may crash, and which leaves what it finds in files. False where it takes longer,
  /// or is going to, than `most` seconds; nothing: than there are. What it refuses is an error, unless it `mayRefuse`:
  /// such trials are left out then.
  bool compute(std::vector<runtime::Trial> &trials, const std::filesystem::path &library, runtime::ReferenceKind kind,
               std::optional<double> most, bool mayRefuse = false);
  /// False where there can be no light reference, or it takes too long as well.
  bool expectLightly(std::vector<runtime::Trial> small);
  std::vector<runtime::Trial> small();

  Session &session_;
  const std::string spectrum_;
  const std::vector<runtime::Value> &arguments_;
  const TuneOptions &options_;
  const Clock::time_point end_;
  const std::function<void(const std::string &doing)> progress_;
  std::filesystem::path reference_; // empty: it is not built
  std::string plan_, comparedBy_;
  Workshop::Kernel exact_;
  std::vector<runtime::Trial> trials_;
  runtime::UndecidedTrials undecided_;
  bool expected_ = false;
  double took_ = 0; // seconds, the reference the last time
};

} // namespace tangram::tune
