#include "gpu_run.h"

#include "tangram/verify/DeviceArguments.h"

namespace bench {
namespace {

using namespace tangram::runtime;

class Running {
public:
  Running(const tangram_kernel &kernel, GpuProblem &problem)
      : problem_((problem.spoil(), problem)), device_(kernel, problem.arguments) {}

  GpuRun checked() {
    GpuRun run;
    CallResult status = device_.status();
    if (status.ok()) status = device_.restore();
    if (status.ok()) status = device_.time(run.seconds);
    if (status.ok()) status = device_.download();
    run.failure = status.ok() ? problem_.wrong(problem_.got()) : status.message;
    return run;
  }

  GpuRun timed() {
    GpuRun run;
    auto once = [&] {
      double seconds = 0;
      if (CallResult status = device_.time(seconds); !status.ok()) run.failure = status.message;
      return seconds;
    };
    run.seconds = measureBy(once, {.least = 11, .most = 51, .seconds = 0.02}).median;
    return run;
  }

private:
  GpuProblem &problem_;
  DeviceArguments device_;
};

} // namespace

GpuRun tryOut(const tangram_kernel &kernel, GpuProblem &problem) {
  Running running(kernel, problem);
  GpuRun first = running.checked();
  return first.failure.empty() ? running.checked() : first;
}

GpuRun measured(const tangram_kernel &kernel, GpuProblem &problem) {
  Running running(kernel, problem);
  GpuRun first = running.checked();
  return first.failure.empty() ? running.timed() : first;
}

} // namespace bench
