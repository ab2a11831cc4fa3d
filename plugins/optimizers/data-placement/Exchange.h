// Arrays of a subgroup with an element a lane that only this lane writes: a register of each lane's own, other lanes'
// elements are read by a shuffle (dissertation, section 7.1.1).
#pragma once

#include "Placement.h"

namespace tangram::placement {

/// The launch with `array` in registers; null where its lanes cannot all get to a shuffle wherever one reads another's
/// element, or where it is used in any other way.
const ast::Launch *exchange(ast::Arena &arena, ast::Names &names, const hardware::LaunchLevels &levels,
                            const ast::KnownValues &known, const ast::Launch *launch, const ast::Alloc &array,
                            std::set<std::string> &frozen);

} // namespace tangram::placement
