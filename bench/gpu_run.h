// A kernel on a problem, with its arguments in the memory of its device; and what is wrong with what it writes.
#pragma once

#include "gpu_problems.h"

#include "tangram/runtime/kernel_abi.h"

namespace bench {

struct GpuRun {
  std::string failure; // empty: none
  double seconds = 0;  // by the device's clock
};

/// Checks a run; the time is that of a second one, since the first loads the code.
GpuRun tryOut(const tangram_kernel &kernel, GpuProblem &problem);
/// Checks a run; the time is the median of others.
GpuRun measured(const tangram_kernel &kernel, GpuProblem &problem);

} // namespace bench
