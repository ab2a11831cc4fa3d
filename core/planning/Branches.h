// What models of time ask of branches: how often data takes one, and whether a processor has to foresee it.
#pragma once

#include "tangram/ast/Node.h"

#include <string>

namespace tangram {

/// The variable, or array, of a running extreme: `if (x < least) { ... least = x; ... }`, which another one is compared
/// with and whose branch alone brings it closer; null where the branch is another.
const std::string *runningExtreme(const ast::If &branch);

/// How often, of so many times, a number that comes in any order is among the `kept` least until then.
double timesAmongLeast(double kept, double times);

/// Whether compilers have no jump for it: it sets variables, by what is computed from others.
bool isConverted(const ast::If &branch);

} // namespace tangram
