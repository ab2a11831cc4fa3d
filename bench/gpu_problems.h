// What bench-gpu times plans on: arguments, and what is right, by a reference of higher precision. Needs no device.
#pragma once

#include "tangram/verify/Value.h"

#include <functional>
#include <string>
#include <vector>

namespace bench {

struct GpuProblem {
  std::vector<tangram::runtime::Value> arguments; // of the kernel, its result included
  std::size_t output = 0;                         // which of them
  /// What is wrong with an output; empty: nothing.
  std::function<std::string(const std::vector<double> &)> wrong;
  double bytes = 0; // that must be read and written
  double flops = 0; // where those are what limits it; else 0

  double work() const { return flops > 0 ? flops : bytes; }
  /// Overwrites the output, so that nothing of an earlier kernel is taken for this one's.
  void spoil();
  std::vector<double> got() const;
};

/// A family of problems of any size.
struct GpuProblemKind {
  std::string name;
  std::size_t usual; // elements, rows, points or vertices
  std::size_t small; // enough to say about how long the usual one takes
  std::function<GpuProblem(std::size_t)> make;
  /// Of whole numbers: results are exact, and must be.
  GpuProblem whole(std::size_t n) const;
};

const std::vector<GpuProblemKind> &gpuProblems();

} // namespace bench
