// The data-parallel primitives (the paper's Table 2), by their names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tangram::hidp {

bool isPrimitive(std::string_view name);
std::vector<std::string> primitiveNames();

} // namespace tangram::hidp
