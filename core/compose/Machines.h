// The target as launches see it whose levels have other numbers of units than it says (hardware/Units.h).
#pragma once

#include "tangram/hardware/Units.h"

#include <deque>
#include <map>
#include <vector>

namespace tangram {

class Machines {
public:
  /// By number; 0 is the target as it is.
  using Id = std::size_t;
  /// A level, by its number in the target, and the machine that it is of.
  struct Place {
    std::size_t level = 0;
    Id machine = 0;
    auto operator<=>(const Place &) const = default;
  };

  explicit Machines(const hardware::Hardware &target) : target_(target), machines_{{{}, target}} {}

  const hardware::Hardware &operator[](Id id) const { return machines_[id].hardware; }
  const hardware::Units &units(Id id) const { return machines_[id].units; }
  const hardware::Level &level(const Place &at) const { return machines_[at.machine].hardware.levels[at.level]; }

  /// A machine with so many units, as goals at its level see it: what is not below it is no concern of theirs.
  Id with(const Place &at, const hardware::Units &units = {});

  /// What a rule that goes to the level below may ask for: of each level that starts with it, what the target says or
  /// one of its choices. What the target says comes first, and is not named.
  std::vector<hardware::Units> choices(const Place &at) const;

private:
  struct Machine {
    hardware::Units units;
    hardware::Hardware hardware;
  };
  const hardware::Hardware &target_;
  std::deque<Machine> machines_; // references into it last
  std::map<Place, Id> seen_;     // with no units of its own
};

} // namespace tangram
