#include "tangram/compose/Facts.h"

#include <array>

namespace tangram {

std::string_view name(Stride stride) {
  static constexpr std::array<std::string_view, 4> names{"zero", "unit", "constant", "irregular"};
  return names[static_cast<std::size_t>(stride)];
}

} // namespace tangram
