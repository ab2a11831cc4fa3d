#include "tangram/verify/Timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tangram::runtime {

Measurement summarize(std::vector<double> seconds) {
  Measurement m;
  std::size_t n = m.repeats = seconds.size();
  if (n == 0) return m;
  std::sort(seconds.begin(), seconds.end());
  m.median = n % 2 ? seconds[n / 2] : (seconds[n / 2 - 1] + seconds[n / 2]) / 2;
  // The number of runs below the true median is binomial(n, 1/2): the interval from the k-th smallest to the k-th
  // largest misses it with probability 2 * P(fewer than k below). The narrowest interval with at least 0.95.
  double logTerm = -static_cast<double>(n) * std::log(2.0); // of P(0 below), which may be too small for a double
  double below = 0;
  std::size_t k = 0;
  for (std::size_t i = 0; i < n / 2; ++i) {
    double next = below + std::exp(logTerm);
    if (i > 0 && 1 - 2 * next < 0.95) break;
    below = next;
    k = i;
    logTerm += std::log(static_cast<double>(n - i) / static_cast<double>(i + 1));
  }
  m.low = seconds[k];
  m.high = seconds[n - 1 - k];
  m.confidence = n == 1 ? 0 : 1 - 2 * below;
  return m;
}

Measurement measure(const std::function<void()> &work, const MeasureOptions &options,
                    const std::function<void()> &prepare) {
  using Clock = std::chrono::steady_clock;
  auto timed = [&] {
    auto start = Clock::now();
    work();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  return measureBy(timed, options, prepare);
}

Measurement measureBy(const std::function<double()> &work, const MeasureOptions &options,
                      const std::function<void()> &prepare) {
  auto once = [&] {
    if (prepare) prepare();
    return work();
  };
  // A clock that stands still must not keep us here.
  constexpr std::size_t mostWarmUps = 10000;
  double warm = 0;
  for (std::size_t i = 0; i == 0 || (warm < options.warmUpSeconds && i < mostWarmUps); ++i) warm += once();
  std::vector<double> times;
  double spent = 0;
  while (options.repeats ? times.size() < options.repeats
                         : times.size() < options.least || (spent < options.seconds && times.size() < options.most)) {
    times.push_back(once());
    spent += times.back();
  }
  return summarize(std::move(times));
}

} // namespace tangram::runtime
