// Cooperative codelets that compute on tiles: lanes load parts of containers into arrays that they share, and use what
// they have loaded several times.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram {

/// Whether some __shared array is read in loops deeper than those that fill it, and than those that touch containers.
bool computesOnTiles(const ast::Codelet &codelet);

} // namespace tangram
