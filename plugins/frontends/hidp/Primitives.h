// The data-parallel primitives (the paper's Table 2), by their names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tangram::hidp {

/// min and max are, too, and functions of two numbers besides.
bool isPrimitive(std::string_view name);
std::vector<std::string> primitiveNames();

} // namespace tangram::hidp
