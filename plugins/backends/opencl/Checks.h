// What checked code asks on a device, in OpenCL C: see tangram/runtime/checked.h, which says the same in C++.
#pragma once

#include <string_view>

namespace tangram::opencl {

inline constexpr std::string_view kChecks = R"(#ifndef TANGRAM_CHECKED
#define TANGRAM_CHECKED 1
#endif
bool tangram_in_range(volatile global uint *record, ulong index, ulong bound, uint site) {
  if (!TANGRAM_CHECKED || index < bound) return true;
  if (atomic_cmpxchg(record, 0u, site) == 0u) {
    record[1] = (uint)index;
    record[2] = (uint)(index >> 32);
    record[3] = (uint)bound;
    record[4] = (uint)(bound >> 32);
  }
  return false;
}
bool tangram_faulted(volatile global uint *record) {
  return TANGRAM_CHECKED && atomic_or(record, 0u) != 0u;
}

)";

} // namespace tangram::opencl
