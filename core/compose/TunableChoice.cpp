#include "tangram/compose/TunableChoice.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace tangram {

TunableChoice chooseTunable(const ast::Tunable &tunable, const hardware::Hardware &hardware,
                            const hardware::Level &level) {
  using Reason = TunableChoice::Reason;
  TunableChoice result;
  if (const hardware::Level *below = hardware.below(level)) {
    result.below = below->name;
    result.workers = static_cast<std::int64_t>(below->workers.count);
  }
  auto is = [&](std::int64_t value, Reason reason) {
    result.value = value;
    result.reason = result.below.empty() ? Reason::NothingBelow : value == result.workers ? Reason::Workers : reason;
    return result;
  };
  if (!tunable.values.empty()) {
    std::optional<std::int64_t> best;
    for (std::int64_t value : tunable.values)
      if (value <= result.workers && (!best || value > *best)) best = value;
    return best ? is(*best, Reason::LargestListed)
                : is(*std::min_element(tunable.values.begin(), tunable.values.end()), Reason::LeastListed);
  }
  std::int64_t lo = tunable.lo, step = std::max<std::int64_t>(tunable.step, 1);
  if (lo == 0 && tunable.hi == 0) lo = 1; // no range written: none of a thing is no choice
  const std::int64_t wanted = result.below.empty() ? lo : result.workers;
  const bool above = tunable.hi > 0 && wanted > tunable.hi;
  const std::int64_t value = above ? tunable.hi : wanted;
  if (value <= lo) return is(lo, above ? Reason::RangeEnd : Reason::RangeStart);
  return is(lo + (value - lo) / step * step, above ? Reason::RangeEnd : Reason::Step);
}

std::vector<std::int64_t> tunableChoices(const ast::Tunable &tunable, const hardware::Hardware &hardware,
                                         const hardware::Level &level, const Scalars &scalars) {
  if (const std::optional<std::int64_t> followed = followedValue(tunable, scalars)) return {*followed};
  const std::int64_t own = chooseTunable(tunable, hardware, level).value;
  std::vector<std::int64_t> result{own};
  auto add = [&](std::int64_t value) {
    if (allows(tunable, value) && std::find(result.begin(), result.end(), value) == result.end())
      result.push_back(value);
  };
  for (std::int64_t value : tunable.values) add(value);
  if (!tunable.values.empty()) return result;
  const std::int64_t lo = tunable.lo == 0 && tunable.hi == 0 ? 1 : tunable.lo;
  const std::int64_t step = std::max<std::int64_t>(tunable.step, 1);
  for (std::int64_t value : {own / 4, own * 4})
    if (value >= lo) add(lo + (value - lo) / step * step);
  return result;
}

std::optional<std::int64_t> followedValue(const ast::Tunable &tunable, const Scalars &scalars) {
  const auto it = scalars.find(tunable.follows);
  return it != scalars.end() && allows(tunable, it->second) ? std::optional(it->second) : std::nullopt;
}

bool allows(const ast::Tunable &tunable, std::int64_t value) {
  if (!tunable.values.empty())
    return std::find(tunable.values.begin(), tunable.values.end(), value) != tunable.values.end();
  std::int64_t lo = tunable.lo == 0 && tunable.hi == 0 ? 1 : tunable.lo;
  if (value < lo || (tunable.hi > 0 && value > tunable.hi)) return false;
  return (value - lo) % std::max<std::int64_t>(tunable.step, 1) == 0;
}

std::string describe(const TunableChoice &choice) {
  std::string workers =
      fmt::format("the {} worker{} of level '{}'", choice.workers, choice.workers == 1 ? "" : "s", choice.below);
  switch (choice.reason) {
  case TunableChoice::Reason::Workers: return workers;
  case TunableChoice::Reason::NothingBelow: return "the least that it may be, as no level is below";
  case TunableChoice::Reason::RangeStart: return "the start of its range, which is above " + workers;
  case TunableChoice::Reason::RangeEnd: return "the end of its range, which is below " + workers;
  case TunableChoice::Reason::Step: return workers + ", down to the next step of its range";
  case TunableChoice::Reason::LargestListed: return "the largest of its values that is not above " + workers;
  case TunableChoice::Reason::LeastListed: return "the least of its values, which are all above " + workers;
  }
  return workers;
}

} // namespace tangram
