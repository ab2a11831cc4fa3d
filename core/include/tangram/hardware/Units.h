// How many units of a level a launch has: of each launch, a choice of the plan.
#pragma once

#include "tangram/hardware/Hardware.h"

#include <deque>
#include <map>

namespace tangram::hardware {

/// Units by level; of levels that are not named, as many as the target says.
using Units = std::map<std::string, std::int64_t>;

/// The levels of which it is decided how many units there are where work goes from `level` to the level below: that one
/// and, below it, those whose units wait for each other (barrier, warp), since they start together. Empty where the
/// units of the level below were started with their own unit.
std::vector<const Level *> startedFrom(const Hardware &hardware, const Level &level);

/// What of `units` (of started levels) the machine does not allow, in words; empty: it allows all.
std::string refusal(const Hardware &hardware, const Units &units);

/// The machine with so many.
Hardware with(Hardware hardware, const Units &units);

/// The machine as what is below the rules that a walk has gone through sees it.
class Configured {
public:
  explicit Configured(const Hardware &target) : target_(target) {}
  const Hardware &operator*() const { return own_.empty() ? target_ : own_.back(); }
  const Hardware *operator->() const { return &**this; }

  /// With so many units for as long as it lives.
  class Scope {
  public:
    Scope(Configured &machine, const Units &units) : machine_(machine), asks_(!units.empty()) {
      if (asks_) machine_.own_.push_back(with(*machine_, units));
    }
    ~Scope() {
      if (asks_) machine_.own_.pop_back();
    }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    Configured &machine_;
    bool asks_;
  };

private:
  const Hardware &target_;
  std::deque<Hardware> own_;
};

} // namespace tangram::hardware
