// How long something takes: the median of repeats, with an interval.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace tangram::runtime {

struct MeasureOptions {
  std::size_t repeats = 0; // 0: as many as fit `seconds`, between `least` and `most`
  std::size_t least = 7, most = 101;
  double seconds = 1;          // of measured work
  double warmUpSeconds = 0.05; // runs that are not counted; at least one
};

struct Measurement {
  double median = 0; // seconds
  /// The median lies between them with `confidence`; the extremes where there are too few repeats for 0.95.
  double low = 0, high = 0;
  double confidence = 0;
  std::size_t repeats = 0;
};

/// `prepare` runs before each run of `work` and is not timed.
Measurement measure(const std::function<void()> &work, const MeasureOptions &options = {},
                    const std::function<void()> &prepare = {});

/// The same by another clock: `work` returns the seconds that it took.
Measurement measureBy(const std::function<double()> &work, const MeasureOptions &options = {},
                      const std::function<void()> &prepare = {});

/// Of times that were taken already: order statistics, no assumption on how they are distributed.
Measurement summarize(std::vector<double> seconds);

} // namespace tangram::runtime
