// What a child of `tangram run` does: it calls the chosen plan and its reference, which may crash or hang, and sends
// what it finds out.
#pragma once

#include "tangram/process/Children.h"
#include "tangram/verify/Reference.h"
#include "tangram/verify/Trial.h"

#include <functional>

namespace tangram::driver {

/// With what, how often, and how long the reference may take. Where all calls must fit into that time, it is given up
/// as soon as they are not going to; else those that do fit count.
struct Comparison {
  std::filesystem::path library;
  runtime::ReferenceKind kind = runtime::ReferenceKind::Full;
  std::size_t count = 0;
  std::function<runtime::Trial(std::size_t)> make;
  std::optional<double> most;
  bool allMustFit = true;
};

/// An entry of a library, and the arguments that it is given.
class RunnerChild {
public:
  RunnerChild(std::filesystem::path library, std::string name, const std::vector<runtime::Value> &arguments,
              std::size_t repeats)
      : library_(std::move(library)), name_(std::move(name)), arguments_(arguments), repeats_(repeats) {}

  /// All trials, which are made one by one, unless the reference takes longer for them than it may.
  void compare(const Comparison &comparison, const runtime::Send &send) const;
  /// Where nothing is compared, the results are shown all the same.
  void callOnce(const runtime::Send &send) const;
  /// How long a call takes, of `repeats`.
  void measure(const runtime::Send &send) const;

private:
  bool agrees(const tangram_kernel &chosen, const runtime::Reference &reference, runtime::Trial &trial,
              std::vector<runtime::Value> &got, double &seconds, const runtime::Send &send) const;
  void sendResults(const tangram_kernel &chosen, const std::vector<runtime::Value> &got,
                   const runtime::Send &send) const;

  std::filesystem::path library_;
  std::string name_;
  const std::vector<runtime::Value> &arguments_;
  std::size_t repeats_;
};

} // namespace tangram::driver
