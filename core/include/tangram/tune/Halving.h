// Whose turn it is where several candidates are timed: successive halving, by turns, so that noise of the machine hits
// all alike.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace tangram::tune {

struct HalvingOptions {
  double seconds = 1;        // in all, with what a turn needs beside the work that is timed
  std::size_t finalists = 2; // so many are timed to the end
  std::size_t least = 2;     // rounds of a rung, whatever the time ...
  std::size_t most = 40;     // ... and at most
  double hopeless = 3;       // what never took less than so many times as long as the fastest is out after one round
};

/// Jamieson and Talwalkar, AISTATS 2016: each rung has the same share of the time, and half the candidates of the one
/// before. In a round each candidate has one turn. The same times give the same turns.
class SuccessiveHalving {
public:
  SuccessiveHalving(std::size_t candidates, HalvingOptions options = {});

  /// The candidate that is to be timed next; nothing: it is over.
  std::optional<std::size_t> next() const;
  /// What the one of next() took, one or several times, and how long its turn was.
  void took(const std::vector<double> &seconds, double turn);

  const std::vector<double> &times(std::size_t candidate) const { return times_[candidate]; }
  /// Those that are still in it, the fastest first; of those that are as fast, the one of the lower number.
  std::vector<std::size_t> standing() const;

private:
  void endRound();

  HalvingOptions options_;
  std::vector<std::vector<double>> times_;
  std::vector<std::size_t> left_; // in the order of their turns
  std::size_t turn_ = 0, rounds_ = 0, rungs_ = 1;
  double spent_ = 0; // in this rung
  bool over_ = false;
};

/// The middle of the times; infinite where there are none.
double median(std::vector<double> seconds);

} // namespace tangram::tune
