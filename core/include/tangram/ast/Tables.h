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

/// What backends put into constant memory, or where a device has one way for each lane to an element of its own, into
/// that: which of them, readAlike says.
std::vector<const Declare *> constantTables(const Block &launchBody);
/// Of these tables the names of those of which workers side by side read one element at a time, as far as is seen: by
/// indices that follow from no worker's number and nothing that is loaded. Constant memory has one element for all of
/// them, and others after one another.
std::set<std::string> readAlike(const std::vector<const Declare *> &tables, const Block &launchBody);
const Block *withoutConstantTables(Arena &arena, const Block *launchBody);

} // namespace tangram::ast
