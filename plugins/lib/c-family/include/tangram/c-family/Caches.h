// Caches of a processor as Linux describes them.
#pragma once

#include <cstdint>
#include <filesystem>

namespace tangram::c_family {

/// Of data; numbers are 0 where they are not known.
struct Cache {
  std::uint64_t bytes = 0, line = 0;
};

/// The cache of a level that one core reaches. `core`: its folder, such as /sys/devices/system/cpu/cpu0/cache. What the
/// C library says is no substitute where there is this: of a processor of several last-level caches it is their sum.
Cache cacheOf(const std::filesystem::path &core, unsigned level);

} // namespace tangram::c_family
