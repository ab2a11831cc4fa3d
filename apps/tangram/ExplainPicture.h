// The levels of a machine as a picture, with the units that a plan keeps busy.
#pragma once

#include "Explain.h"

namespace tangram::driver {

/// An inline SVG: a box in a box for each level, outermost first, in it the units that one unit above has. Colours are
/// those of the page's style: .level, .unit, .busy, .maybe, .idle. `label` is escaped.
std::string machinePicture(const std::vector<LevelNote> &levels, const std::string &label);

} // namespace tangram::driver
