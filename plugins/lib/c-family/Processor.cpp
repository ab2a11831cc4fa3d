#include "tangram/c-family/Processor.h"

#include "tangram/c-family/Caches.h"

#include <algorithm>
#include <fstream>
#include <sched.h>
#include <string>
#include <unistd.h>

namespace tangram::c_family {
namespace {

/// Threads this process may run on; OMP_NUM_THREADS says fewer or more.
std::uint64_t threads() {
  if (const char *text = std::getenv("OMP_NUM_THREADS")) {
    // The outermost of a list.
    char *end = nullptr;
    unsigned long count = std::strtoul(text, &end, 10);
    if (end != text && count > 0 && count < 65536) return count;
  }
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
    return static_cast<std::uint64_t>(CPU_COUNT(&set));
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? static_cast<std::uint64_t>(online) : 1;
}

std::uint64_t vectorBytes() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq"))
    return 64;
  if (__builtin_cpu_supports("avx2")) return 32;
#endif
  return 16;
}

/// What is known of a memory of that name.
Cache cacheInfo(const std::string &memory) {
  if (memory == "memory") return {static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE)), 0};
  if (memory.size() != 2 || memory[0] != 'l' || memory[1] < '1' || memory[1] > '3') return {};
  const unsigned level = static_cast<unsigned>(memory[1] - '0');
  if (const Cache known = cacheOf("/sys/devices/system/cpu/cpu0/cache", level); known.bytes > 0) return known;
#if defined(_SC_LEVEL1_DCACHE_SIZE)
  constexpr int kSizes[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
  constexpr int kLines[] = {_SC_LEVEL1_DCACHE_LINESIZE, _SC_LEVEL2_CACHE_LINESIZE, _SC_LEVEL3_CACHE_LINESIZE};
  auto said = [](int what) { return static_cast<std::uint64_t>(std::max(0L, sysconf(what))); };
  return {said(kSizes[level - 1]), said(kLines[level - 1])};
#else
  return {};
#endif
}

/// What the processor calls itself.
std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name"))
      if (std::size_t at = line.find(": "); at != std::string::npos) return line.substr(at + 2);
  return "the processor at hand";
}

} // namespace

Detection detectProcessor(hardware::Hardware &hardware) {
  constexpr std::uint64_t kElement = 4, kInFlight = 4; // bytes of the usual element; additions in flight at once
  for (std::size_t i = 0; i < hardware.levels.size(); ++i) {
    hardware::Level &level = hardware.levels[i];
    for (hardware::Memory &memory : level.memories) {
      const Cache cache = cacheInfo(memory.name);
      if (cache.bytes > 0) memory.bytes = cache.bytes;
      if (cache.line > 0) memory.line = cache.line;
    }
    if (!level.workers.automatic) continue;
    const hardware::Level *above = nullptr;
    for (const hardware::Level &candidate : hardware.levels)
      if (candidate.subordinate == level.name) above = &candidate;
    std::uint64_t count = 1;
    if (above && above->vector)
      count = vectorBytes() / kElement;
    else if (above && hardware::mayBeThreads(above->sync))
      count = threads();
    else if (above && hardware::areIterations(above->sync))
      count = kInFlight;
    std::uint64_t multiple = std::max<std::uint64_t>(1, level.workers.multipleOf);
    count = (count + multiple - 1) / multiple * multiple;
    if (level.workers.max) count = std::min(count, level.workers.max);
    level.workers.count = count;
  }
  Detection detection;
  detection.device = processor();
  return detection;
}

} // namespace tangram::c_family
