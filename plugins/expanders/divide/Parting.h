// Which statements of a loop get a loop of their own when it is distributed over them.
#pragma once

#include "tangram/nest/Read.h"
#include "tangram/nest/Schedule.h"

namespace tangram::divide {

/// Whether iterations of the loop depend on none of each other.
bool isParallel(const nest::Nest &nest, unsigned loop);

/// Into as many loops as share no variable of an iteration. Statements without a loop stay with a serial one that
/// uses what they set, or sets what they use.
nest::Step parting(const nest::Nest &nest, const nest::Item &item);

/// Into as many loops as neighbouring statements write elements that other loops count: sum[i] and most[i],
/// column[j].
nest::Step partingPlaces(const nest::Nest &nest, const nest::Item &item);

/// Into as many loops as share no scalar.
nest::Step partingScalars(const nest::Nest &nest, const nest::Item &item);

/// Which of what stands in a loop share variables of an iteration.
std::vector<std::vector<std::size_t>> sharing(const nest::Nest &nest, const nest::Item &item);

} // namespace tangram::divide
