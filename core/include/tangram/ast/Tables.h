// Arrays of constants. One that stands at the top of a launch's body, where data-placement puts it if it fits, lies in
// the constant memory of the device; others are part of each worker's code.
#pragma once

#include "tangram/ast/Node.h"

#include <vector>

namespace tangram::ast {

/// A const array of numbers that are literals.
bool isTable(const Declare &d);

/// What backends put into constant memory.
std::vector<const Declare *> constantTables(const Block &launchBody);
const Block *withoutConstantTables(Arena &arena, const Block *launchBody);

} // namespace tangram::ast
