#include "tangram/compose/Facts.h"

#include <algorithm>
#include <array>

namespace tangram {

std::string_view name(Stride stride) {
  static constexpr std::array<std::string_view, 4> names{"zero", "unit", "constant", "irregular"};
  return names[static_cast<std::size_t>(stride)];
}

Stride Facts::acrossCalls(const ast::Map &map) const {
  Stride result = Stride::Zero;
  if (auto it = arguments.find(&map); it != arguments.end())
    for (const PassedArgument &argument : it->second) result = std::max(result, argument.across);
  return result;
}

} // namespace tangram
