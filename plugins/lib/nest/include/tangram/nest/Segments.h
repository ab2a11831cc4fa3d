// Loops from one element of a container to the next, for (e = row[i]; e < row[i + 1]; ++e): where the elements rise,
// those of different i are segments apart from each other.
#pragma once

#include "tangram/nest/Nest.h"

#include <set>

namespace tangram::nest {

/// Containers of integers that the codelet is given and does not write, whose elements bound such loops.
std::set<std::string> boundsOfSegments(const Nest &nest);

/// Whether iterations of `loop` have segments of their own by Codelet::assumed, and each access is to an element of the
/// iteration's, so that those of different ones are different.
bool inOwnSegments(const Nest &nest, const Access &first, const Access &second, unsigned loop);

} // namespace tangram::nest
