// Parameters that are index ranges, and how far apart neighbouring numbers of them are.
#pragma once

#include "Strides.h"
#include "tangram/compose/RangeParameters.h"

namespace tangram {

/// Of each parameter that is a range in all calls of the module (RangeParameters.h).
std::map<std::pair<std::string, unsigned>, Step> rangeSteps(const ast::Module &module);

} // namespace tangram
