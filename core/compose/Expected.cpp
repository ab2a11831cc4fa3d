#include "tangram/compose/Expected.h"

#include <algorithm>

namespace tangram {

std::optional<std::uint64_t> elements(const Extents &extents) {
  std::uint64_t all = 1;
  for (const std::optional<std::uint64_t> &extent : extents)
    if (!extent || __builtin_mul_overflow(all, *extent, &all)) return {};
  return all;
}

std::optional<std::uint64_t> Expected::largest() const {
  std::optional<std::uint64_t> most;
  for (const Extents &extents : arguments)
    if (!extents.empty()) most = std::max(most, tangram::elements(extents));
  return most;
}

} // namespace tangram
