// What __at of a codelet says of one machine.
#pragma once

#include "tangram/hardware/Hardware.h"

#include <optional>
#include <string>
#include <vector>

namespace tangram::level_matching {

/// A word of __at is the name of a level, or a role: "role:warp". Roles are found by how levels synchronise, whatever
/// they are called, so that one source can name them for all machines; a machine may have none for a role.
///
///   kernel             the outermost level
///   block              the outermost one that synchronises by barrier
///   warp               the outermost one that synchronises by warp; where none does: that of vector units (lock-step)
///   subwarp, subwarp2  the next ones that do, from the outside in
///   thread             those below the innermost level with a vector capability: lanes, and what unrolls them; the
///                      innermost level where there are none
///
/// The levels where a codelet with this word may stand; nothing where it is neither a level of the machine nor a role.
std::optional<std::vector<std::string>> levelsNamed(const std::string &word, const hardware::Hardware &hardware);

/// What else could be said: the machine's levels, and all roles.
std::vector<std::string> nameableLevels(const hardware::Hardware &hardware);

} // namespace tangram::level_matching
