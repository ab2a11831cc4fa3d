// Checks of several lanes at once: see runtime/checked.h.
#ifndef TANGRAM_RUNTIME_VEC_CHECKED_H
#define TANGRAM_RUNTIME_VEC_CHECKED_H

#include <tangram/runtime/checked.h>
#include <tangram/runtime/vec.h>

namespace tangram_checked {

/// Lanes that `mask` leaves out are not asked, and false.
template <int N>
TANGRAM_INLINE tangram::vec<bool, N>
in_range([[maybe_unused]] std::uint32_t *record, [[maybe_unused]] const tangram::vec<std::uint64_t, N> &index,
         [[maybe_unused]] const tangram::vec<std::uint64_t, N> &bound, [[maybe_unused]] std::uint32_t site,
         tangram::vec<bool, N> mask = tangram::vec<bool, N>(true)) {
#if TANGRAM_CHECKED
  tangram::vec<bool, N> fits = index < bound;
  if (tangram::vec<bool, N> wrong = mask & ~fits; tangram::any(wrong)) {
    auto lane = static_cast<std::size_t>(tangram::first_lane(wrong));
    keep(record, index[lane], bound[lane], site);
  }
  return mask & fits;
#else
  return mask;
#endif
}

} // namespace tangram_checked
#endif
