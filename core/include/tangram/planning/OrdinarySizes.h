// Sizes where a user has told none: what heuristics that weigh times assume.
#pragma once

#include "tangram/ast/Node.h"
#include "tangram/compose/Forest.h"

namespace tangram {

/// Of all containers of a spectrum: as in `known` (one a parameter), else such that a container has some millions of
/// elements, and its conditions hold.
ExpectedSizes ordinarySizes(const ast::Spectrum &spectrum, std::vector<Extents> known);

/// The same of a forest's spectrum, where what is expected says nothing.
ExpectedSizes ordinarySizes(const Forest &forest);

} // namespace tangram
