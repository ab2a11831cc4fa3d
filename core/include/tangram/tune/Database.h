// What a tuner has found out, kept in a file: plans of a problem on a machine, what became of them, how long they took.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tangram::tune {

/// What was computed, and with what.
struct Problem {
  std::string spectrum, target; // target: with a hash of what it says
  std::string sizes;            // "a=[512x128], x=[128]"
  std::string data;             // "random:512x128, ...; seed 1", with a hash of the elements
};

/// On what.
struct Machine {
  std::string device, compiler; // compiler: with its flags
  std::string tangram;          // the version of the compiler
};

/// What became of a plan.
enum class Verdict : std::uint8_t { Right, Unfit, Refused, Uncompiled, Wrong, Failed, Crashed, Endless };
std::string_view name(Verdict verdict);

struct Record {
  std::string plan; // as print() writes it, with the hashes of its sources
  Verdict verdict = Verdict::Right;
  std::string reason;          // where it is not Right
  std::vector<double> seconds; // in the order in which they were taken
};

/// What a model said of a plan, and how long it took.
struct Sample {
  std::int64_t problem = 0;             // of one problem on one machine: the same number
  std::map<std::string, double> shares; // predicted seconds of each part (compose/Prediction.h)
  double seconds = 0;                   // median
};

/// Several processes may use one file at a time. All throw DiagnosticError (user error) where the file is no database,
/// damaged, of another version, locked or cannot be written; what was recorded before is kept, also where this process
/// is killed.
class Database {
public:
  /// Makes the file where there is none. An empty path: in memory. `patience`: seconds to wait for others.
  explicit Database(const std::filesystem::path &file, double patience = 5);
  ~Database();
  Database(const Database &) = delete;
  Database &operator=(const Database &) = delete;

  /// What the others below are about.
  void open(const Problem &problem, const Machine &machine);

  std::vector<Record> records() const; // in the order in which they were made
  void judge(const std::string &plan, Verdict verdict, const std::string &reason);
  /// Of a plan that is Right.
  void addTimes(const std::string &plan, const std::vector<double> &seconds);
  /// What a model, by its name, says of a plan that is there already.
  void predict(const std::string &plan, const std::string &model, const std::map<std::string, double> &shares);
  std::optional<std::string> choice() const;
  void choose(const std::string &plan);

  /// What a model said of plans for a target, by its name, of all problems, on the machine on which something was timed
  /// last for it; problems are numbered as they were first met. open() need not have been called.
  std::vector<Sample> samples(const std::string &target, const std::string &model) const;

  /// Machines other than this one for which there are timings of the problem.
  std::vector<Machine> otherMachines() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace tangram::tune
