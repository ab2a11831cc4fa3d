#include "Machines.h"

#include <algorithm>

namespace tangram {

Machines::Id Machines::with(const Place &at, const hardware::Units &asked) {
  if (at.machine == 0 && asked.empty()) return 0;
  if (asked.empty())
    if (auto it = seen_.find(at); it != seen_.end()) return it->second;
  hardware::Units units = asked;
  units.insert(machines_[at.machine].units.begin(), machines_[at.machine].units.end());
  for (std::size_t above = 0; above <= at.level; ++above) units.erase(target_.levels[above].name);
  auto same = std::ranges::find(machines_, units, &Machine::units);
  const auto id = static_cast<Id>(same - machines_.begin());
  if (same == machines_.end()) machines_.push_back({units, hardware::with(target_, units)});
  if (asked.empty()) seen_.emplace(at, id);
  return id;
}

std::vector<hardware::Units> Machines::choices(const Place &at) const {
  std::vector<hardware::Units> result{{}};
  for (const hardware::Level *started : hardware::startedFrom(target_, level(at))) {
    const std::size_t before = result.size();
    for (std::uint64_t count : started->workers.choices) {
      if (count == started->workers.count) continue;
      for (std::size_t i = 0; i < before; ++i) {
        hardware::Units units = result[i];
        units[started->name] = static_cast<std::int64_t>(count);
        if (hardware::refusal(target_, units).empty()) result.push_back(std::move(units));
      }
    }
  }
  return result;
}

} // namespace tangram
