// Sizes where a user has told none: what heuristics that weigh times assume.
#pragma once

#include "tangram/ast/Node.h"
#include "tangram/compose/Expected.h"

namespace tangram {

/// Of all containers of a spectrum: as in `known` (one a parameter, as Point::expected), else such that a container has
/// some millions of elements, and its conditions hold.
ExpectedSizes ordinarySizes(const ast::Spectrum &spectrum, std::vector<Extents> known);

} // namespace tangram
