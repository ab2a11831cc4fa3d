#include "tangram/hardware/Hardware.h"

#include <algorithm>
#include <limits>

namespace tangram::hardware {

const Memory *Level::memory(std::string_view name) const {
  auto found = std::find_if(memories.begin(), memories.end(), [&](const Memory &m) { return m.name == name; });
  return found == memories.end() ? nullptr : &*found;
}

bool Hardware::is(std::string_view target) const {
  return target == name || std::find(env.begin(), env.end(), target) != env.end();
}

const Level *Hardware::find(std::string_view name) const {
  for (const Level &level : levels)
    if (level.name == name) return &level;
  return nullptr;
}

const Level *Hardware::below(const Level &level) const {
  return level.subordinate.empty() ? nullptr : find(level.subordinate);
}

std::uint64_t Hardware::lanes(const Level &level) const {
  std::uint64_t result = 1;
  const Level *lane = below(level);
  // Bounded by the number of levels, in case somebody made hardware with a cycle by hand.
  for (std::size_t i = 0; lane && i < levels.size(); ++i, lane = below(*lane)) {
    if (__builtin_mul_overflow(result, lane->workers.count, &result)) return std::numeric_limits<std::uint64_t>::max();
    if (lane->scalar) break;
  }
  return result;
}

std::vector<std::string> Hardware::levelNames() const {
  std::vector<std::string> result;
  for (const Level &level : levels) result.push_back(level.name);
  return result;
}

} // namespace tangram::hardware
