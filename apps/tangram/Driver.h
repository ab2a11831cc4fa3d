// What all commands share: common flags, the session, how errors and progress are shown.
#pragma once

#include "tangram/session/Session.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tangram::driver {

using Json = nlohmann::ordered_json;

struct CommonFlags {
  std::vector<std::string> pluginPath;
  std::string printAfter, heuristic, backend, color = "auto";
  bool timePasses = false, json = false, checked = false, undecided = false, verifyProperties = false;
};

/// A program and how it is to be read: what compile, explain, verify and run have in common.
struct ProgramFlags {
  std::vector<std::string> files; // at least one
  std::string target;
  std::vector<std::string> spectrums, plans, includes, defines, expected, also;
};

class Driver {
public:
  Driver(int argc, char **argv);

  CommonFlags common;
  /// What the command line asked for; returns the exit code.
  std::function<int()> command;

  /// With the plugins loaded; one per run.
  Session &session();
  /// The session with the program opened. `target` may be empty where the command allows it.
  Session &open(const ProgramFlags &flags);
  /// Does it once more, with another backend than the target's and all else as before. Where that cannot build code for
  /// the target either, throws what it threw; the session is as it was.
  int withBackend(const std::string &name, const std::function<int()> &f);
  /// Does it, which builds code; where the compiler of the target's backend is missing, once more with a backend that
  /// does without, if that makes code for the target, and says so. A backend that was asked for stays.
  int building(const std::function<int()> &f);
  /// Those asked for, checked; else the entry spectrums of the program.
  std::vector<std::string> spectrums(const ProgramFlags &flags);
  /// Spectrums that are named, also by plan files, before the program is read: `wanted`, perhaps with "all", and which
  /// `instances` of templates.
  void names(const ProgramFlags &flags, std::set<std::string> &wanted, std::string &instances);
  /// Of plan files where there are any, else what the heuristic chooses.
  std::vector<Plan> plans(const ProgramFlags &flags);

  /// Runs `f`, shows what goes wrong, and returns the exit code. A bug of ours leaves a crash file.
  int guarded(const std::function<int()> &f);

  bool color() const;
  /// Shows diagnostics gathered so far; the worst exit code of the errors among them.
  int showDiagnostics();
  void show(const Diagnostic &diagnostic);
  /// A line that replaces the last one; only on a terminal, elsewhere only where `always`, each a line of its own.
  void progress(const std::string &line, bool always = false);
  void endProgress();

  /// Everything that is known of a failure, as a crash file has it.
  std::string crashText(const std::string &error);
  /// Writes a crash file into the current folder, or the temporary one; its path, empty where neither can be written.
  std::string writeCrashFile(const std::string &text);

  const std::string &commandLine() const { return commandLine_; }

private:
  std::string commandLine_;
  std::unique_ptr<Session> session_;
  bool progressShown_ = false;
};

/// A temporary folder, removed at the end, also where this process is killed.
class TemporaryFolder {
public:
  explicit TemporaryFolder(const std::string &name);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  const std::filesystem::path &path() const { return path_; }

private:
  std::filesystem::path path_;
};

std::string readFile(const std::filesystem::path &path);
void writeFile(const std::filesystem::path &path, const std::string &text);

/// The parts between commas.
std::vector<std::string> splitList(const std::string &text);

/// "sum" of "dir/sum.tg.cpp".
std::string stemOf(const std::filesystem::path &file);
/// "3.25 us"
std::string seconds(double s);

// Commands: each adds itself to the command line.
void addCompile(CLI::App &app, Driver &driver);
void addExplain(CLI::App &app, Driver &driver);
void addCheck(CLI::App &app, Driver &driver);
void addVerify(CLI::App &app, Driver &driver);
void addRun(CLI::App &app, Driver &driver);
void addTune(CLI::App &app, Driver &driver);
void addExperiment(CLI::App &app, Driver &driver);
void addTargets(CLI::App &app, Driver &driver);
void addPlugins(CLI::App &app, Driver &driver);
void addPasses(CLI::App &app, Driver &driver);
void addHeuristics(CLI::App &app, Driver &driver);
void addNew(CLI::App &app, Driver &driver);

void addCommonFlags(CLI::App &app, Driver &driver);
void addProgramFlags(CLI::App &app, ProgramFlags &flags);
/// For commands that build code: by which backend.
void addBackend(CLI::App &app, Driver &driver);
/// What -o says, where that is a folder: `-` is none, and no file of several could go to standard output.
void checkFolder(const std::string &folder);
/// For commands that make code.
void addChecked(CLI::App &app, Driver &driver);
/// For commands that show and check plans, or are given one.
void addUndecided(CLI::App &app, Driver &driver);
/// For commands that choose a plan.
void addExpected(CLI::App &app, ProgramFlags &flags);

/// Crash file on SIGSEGV and the like.
void installCrashHandler(Driver &driver);
int reproduce(Driver &driver, const std::string &crashFile);

} // namespace tangram::driver
