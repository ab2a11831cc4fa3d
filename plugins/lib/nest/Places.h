// Indices of the first row, in the dimensions that a container is used like.
#pragma once

#include "tangram/nest/Nest.h"

namespace tangram::nest {

/// Of a container of one dimension that is used like one of more, x[i * n + j], gives x[j] a place as well, (0, j),
/// where j is below n in all iterations.
void completePlaces(Nest &nest);

} // namespace tangram::nest
