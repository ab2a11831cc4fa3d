// Finds a fast plan of a spectrum for given arguments, on the machine at hand.
#pragma once

#include "tangram/compose/Count.h"
#include "tangram/session/Session.h"
#include "tangram/tune/Database.h"
#include "tangram/verify/ArgumentSpec.h"
#include "tangram/verify/Timing.h"
#include "tangram/verify/Trial.h"
#include "tangram/verify/Value.h"

#include <map>

namespace tangram::tune {

/// How far it is.
struct Progress {
  double left = 0;            // seconds
  std::size_t tried = 0;      // plans
  std::optional<double> best; // seconds of the fastest so far
  std::optional<double> gain; // how many times as fast as the pick that is
  std::string doing;          // "compiling"
};

/// What was compiled and may be used again: a plan's code is the same for all sizes.
struct Workshop {
  struct Kernel {
    std::filesystem::path library;
    std::string entry;
  };
  std::map<std::string, Kernel> kernels; // by the plan's text
  std::filesystem::path reference;       // empty: it has not been compiled
  std::filesystem::path light;           // the light one; empty: it has not been compiled
  std::string plainest;                  // the key of its plan
  Kernel exact;                          // of the plainest plan for the target, where floats must be the same
};

struct TuneOptions {
  double budget = 60;               // seconds for everything
  std::optional<std::size_t> tries; // new plans at most; nothing: as many as there is time for
  std::uint64_t seed = 1;
  unsigned jobs = 2;   // plans are compiled by so many processes
  double timeout = 30; // seconds for one call
  /// What was chosen stays chosen: where the database has a choice, nothing is measured; of plans whose intervals meet
  /// that of the fastest, the first in a stable order (the pick, then the simplest) is chosen.
  bool reproducible = false;
  /// What was said of the arguments: smaller ones are made of it where the reference would take too long for these.
  std::map<std::string, runtime::ArgumentSpec> specs;
  std::filesystem::path folder; // for sources and libraries
  std::string version;          // of tangram
  std::vector<Plan> given;      // are tried first
  bool search = true;           // else the given ones alone are timed, and the pick
  bool firstIsPick = false;     // the first given one stands for what the heuristic picks, which is not asked
  Workshop *workshop = nullptr; // of several calls for one session; null: nothing is kept
  std::function<void(const Progress &)> progress;
  std::function<bool()> interrupted; // whether to end at once, with what was found so far
};

struct Candidate {
  Plan plan;
  bool pick = false;  // what the heuristic picks
  bool known = false; // all that is known of it stood in the database
  Verdict verdict = Verdict::Right;
  std::string reason;              // where it is not Right
  runtime::Measurement time;       // no repeats: there was no time
  std::optional<double> predicted; // seconds, where a heuristic has a model
  bool isTimed() const { return verdict == Verdict::Right && time.repeats > 0; }
};

struct TuneReport {
  std::string spectrum, target;
  Problem problem;
  Machine machine;
  std::string device;   // that kernels ran on, as it calls itself; empty: the host
  std::string plainest; // what was compared with: the key of its plan
  Count space;          // plans there are
  std::uint64_t seed = 0;
  std::vector<Candidate> candidates; // those that were timed, the fastest first; then the others
  std::size_t best = 0;              // which of them was chosen
  std::optional<std::size_t> pick;   // which of them the heuristic picks, where it was tried
  double seconds = 0, budget = 0;
  bool interrupted = false;
  bool chosenBefore = false; // by the database: nothing was measured
  std::string comparedBy;    // with what, where the reference would have taken too long: a sentence
  runtime::UndecidedTrials undecided;
  std::vector<Machine> others; // that the database has timings of
  /// How many times as fast as the pick the best is.
  std::optional<double> gain() const;
  std::size_t tried() const; // candidates of which something is known
  std::size_t known() const; // of these, by the database alone
};

/// The device and the compiler of the session's target, as plans that are tuned here name them; what cannot be found
/// out is empty.
Machine machineAtHand(Session &session, const std::string &version);
/// Throws DiagnosticError where the session's target has no backend: there is no code to check or to time.
void requireBackend(const Session &session);
/// Throws DiagnosticError where the backend of the session's target says that there is no device of it here, or there
/// is none.
void requireDevice(Session &session);

/// `arguments`, the result last, fit the spectrum; `problem` says where they come from (its target and the hash of the
/// data are filled in). Heuristics have been told of their sizes. No plan is timed whose results have not been checked.
/// Throws DiagnosticError where there is nothing to compare with, or no plan can be used.
TuneReport tune(Session &session, Problem problem, const std::vector<runtime::Value> &arguments, Database &database,
                const TuneOptions &options);

} // namespace tangram::tune
