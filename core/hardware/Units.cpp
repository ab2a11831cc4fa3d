#include "tangram/hardware/Units.h"

#include <fmt/format.h>

namespace tangram::hardware {

std::vector<const Level *> startedFrom(const Hardware &hardware, const Level &level) {
  std::vector<const Level *> result;
  if (meet(level.sync)) return result;
  for (const Level *below = hardware.below(level); below && result.size() < hardware.levels.size();
       below = meet(below->sync) ? hardware.below(*below) : nullptr)
    result.push_back(below);
  return result;
}

std::string refusal(const Hardware &hardware, const Units &units) {
  for (const auto &[name, count] : units) {
    const Level *level = hardware.find(name);
    if (!level) return fmt::format("there is no level '{}'", name);
    const Workers &workers = level->workers;
    const auto multiple = static_cast<std::int64_t>(workers.multipleOf);
    if (count < 1 || count % multiple)
      return fmt::format("{} units of level '{}' are not a multiple of {}", count, name, multiple);
    if (workers.max && count > static_cast<std::int64_t>(workers.max))
      return fmt::format("{} units of level '{}' are more than the {} that there can be", count, name, workers.max);
    if (count > (std::int64_t{1} << 31) - 1) return fmt::format("{} units of level '{}' are too many", count, name);
  }
  const Hardware machine = with(hardware, units);
  for (const Level &level : machine.levels)
    if (std::uint64_t lanes = machine.lanes(level); level.maxLanes && lanes > level.maxLanes)
      return fmt::format("a unit of level '{}' would have {} lanes, more than {}", level.name, lanes, level.maxLanes);
  return "";
}

Hardware with(Hardware hardware, const Units &units) {
  for (Level &level : hardware.levels)
    if (auto asked = units.find(level.name); asked != units.end())
      level.workers.count = static_cast<std::uint64_t>(asked->second);
  return hardware;
}

} // namespace tangram::hardware
