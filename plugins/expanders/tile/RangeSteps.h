// By how much the numbers of index ranges grow that a module's calls pass.
#pragma once

#include "tangram/ast/Node.h"

#include <map>
#include <string>

namespace tangram::tile {

/// The step of each parameter (of a spectrum, by name) that is a range of neighbours that far apart in all calls of the
/// module; parameters of which that is not known are left out.
std::map<std::pair<std::string, unsigned>, std::int64_t> rangeSteps(const ast::Module &module);

} // namespace tangram::tile
