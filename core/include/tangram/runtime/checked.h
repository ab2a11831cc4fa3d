// For generated code that was compiled checked: whether an access is in range. Threads may ask at once; the first error
// is kept. C++17.
#ifndef TANGRAM_RUNTIME_CHECKED_H
#define TANGRAM_RUNTIME_CHECKED_H

#include <tangram/runtime/report.h>

namespace tangram_checked {

[[gnu::noinline, gnu::cold]] inline void keep(std::uint32_t *record, std::uint64_t index, std::uint64_t bound,
                                              std::uint32_t site) {
  std::uint32_t none = 0;
  if (!__atomic_compare_exchange_n(record, &none, site, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
  // Read behind the end of the parallel region.
  record[kIndexLow] = static_cast<std::uint32_t>(index);
  record[kIndexHigh] = static_cast<std::uint32_t>(index >> 32);
  record[kBoundLow] = static_cast<std::uint32_t>(bound);
  record[kBoundHigh] = static_cast<std::uint32_t>(bound >> 32);
}

[[maybe_unused]] inline bool in_range([[maybe_unused]] std::uint32_t *record, [[maybe_unused]] std::uint64_t index,
                                      [[maybe_unused]] std::uint64_t bound, [[maybe_unused]] std::uint32_t site) {
#if TANGRAM_CHECKED
  if (index < bound) return true;
  keep(record, index, bound, site);
  return false;
#else
  return true;
#endif
}

/// Whether there is an error: loops that may wait for what was not read end then.
[[maybe_unused]] inline bool faulted([[maybe_unused]] const std::uint32_t *record) {
#if TANGRAM_CHECKED
  return __atomic_load_n(record, __ATOMIC_RELAXED) != 0;
#else
  return false;
#endif
}

} // namespace tangram_checked
#endif
