// The values that plans give a tunable, and where they come from.
#pragma once

#include "tangram/ast/Node.h"
#include "tangram/compose/Expected.h"
#include "tangram/hardware/Hardware.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tangram {

struct TunableChoice {
  enum class Reason : std::uint8_t {
    Workers,       // as many as the level below has workers
    NothingBelow,  // no level is below: the least that the declaration allows
    RangeStart,    // the workers are fewer than the declaration allows
    RangeEnd,      // the workers are more than the declaration allows
    Step,          // the workers, down to the next value of the declared range
    LargestListed, // of the listed values the largest that is not above the workers
    LeastListed,   // all listed values are above the workers
  };
  std::int64_t value = 1;
  Reason reason = Reason::Workers;
  std::string below;        // the level whose workers count; empty: none
  std::int64_t workers = 1; // of it
};

/// The value that a plan gives a tunable of a codelet composed at a level: the workers below, within what the
/// declaration allows.
TunableChoice chooseTunable(const ast::Tunable &tunable, const hardware::Hardware &hardware,
                            const hardware::Level &level);

/// The values that plans may give it, that one first: all listed ones; of a range, a quarter of that one and four times
/// as much, as far as the declaration allows. Of one that follows a parameter, that one's value alone where it is among
/// `scalars`, the parameters that are known, and where the declaration allows it. A plan file may say others.
std::vector<std::int64_t> tunableChoices(const ast::Tunable &tunable, const hardware::Hardware &hardware,
                                         const hardware::Level &level, const Scalars &scalars = {});

/// Of a tunable that follows a parameter, that one's value where it is known and allowed: its only choice.
std::optional<std::int64_t> followedValue(const ast::Tunable &tunable, const Scalars &scalars);

/// True where the declaration allows the value.
bool allows(const ast::Tunable &tunable, std::int64_t value);

/// The reason in words: "the 32 workers of level 'thread'".
std::string describe(const TunableChoice &choice);

} // namespace tangram
