// Arrays of constants. One that stands at the top of a launch's body, where data-placement puts it if it fits, lies in
// the constant memory of the device; others are part of each worker's code.
#pragma once

#include "tangram/ast/Node.h"

#include <set>
#include <string>
#include <vector>

namespace tangram::ast {

/// A const array of numbers that are literals.
bool isTable(const Declare &d);

/// What backends put into constant memory, or where workers ask for different elements (readAlike), into global memory.
std::vector<const Declare *> constantTables(const Block &launchBody);
/// The names of those tables of which workers side by side read one element at a time: by indices that follow from no
/// worker's number and nothing that is loaded. Constant memory serves one element at a time.
std::set<std::string> readAlike(const std::vector<const Declare *> &tables, const Block &launchBody);
const Block *withoutConstantTables(Arena &arena, const Block *launchBody);

} // namespace tangram::ast
