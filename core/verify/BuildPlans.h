// Plans compiled into libraries by child processes, several a library. Those that do not fit the target, cannot be
// lowered or do not compile are told apart from the others.
#pragma once

#include "VerifyPlans.h"

namespace tangram::runtime {

/// Plans, each with the number by which it is known, that are compiled into one library.
struct BuildRequest {
  std::vector<std::pair<std::size_t, Plan>> plans;
  Session *session = nullptr;  // outlives the children
  ast::Arena *arena = nullptr; // keeps names of files for diagnostics
  std::filesystem::path folder;
  std::string stem; // of files in it; the numbers of the first and the last plan are put behind it
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  bool first = false; // before what else waits
};

/// What became of the plans of one library.
struct BuildOutcome {
  std::vector<std::size_t> plans; // all of them
  bool late = false;              // time was up: nothing is known of any
  std::vector<BuiltPlan> built;
  std::map<std::size_t, std::string> unfit;  // needs more of a resource than the target has: how much
  std::map<std::size_t, Diagnostic> refused; // there is no code for it
  std::map<std::size_t, std::string> failed; // what went wrong
};

/// Adds a child that builds the plans. Where it fails as a whole, children for each half are added, down to the plan
/// that is at fault. `ended` is called for parts of the plans, in the end for all of them.
void addBuild(Children &children, BuildRequest request, const std::function<void(BuildOutcome)> &ended);

/// The same in this process, of plans that can be lowered; `names` gets their entries' names.
std::filesystem::path buildHere(Session &session, const std::vector<Plan> &plans, const std::filesystem::path &folder,
                                const std::string &stem, std::vector<std::string> &names);

/// Errors that the session has reported, as one line; they are taken.
std::string errorsOf(Session &session);

/// The fields of a diagnostic behind others.
Message joined(Message front, const Diagnostic &diagnostic);

/// In a child: what compilers leave when they are killed lies in the folder `tmp` there, and goes with it.
void temporaryFilesIn(const std::filesystem::path &folder);

/// Longer than any compiler takes.
inline constexpr double kEndlessCompiler = 1200;
inline constexpr const char *kTemporary = "tmp";

} // namespace tangram::runtime
