// Loops that stand directly in each other as one loop over all their iterations.
#pragma once

#include "Spectrums.h"

namespace tangram::divide {

/// The band with its first `count` loops as one (loop collapsing): of `for (i of i_range) for (j of j_range)`
///
///   for (collapsed = 0; collapsed < i_range.size() * j_range.size(); ++collapsed) {
///     i = i_range[collapsed / j_range.size()]; j = j_range[collapsed % j_range.size()];
///
/// so that few iterations of some of them, or a number that workers do not divide, leave no worker without one.
/// `ranges`: the parameters that are the loops' ranges, captured by the result. `names`: of what stands in the band.
Band collapsed(const Band &band, std::size_t count, const std::vector<const ast::Param *> &ranges, ast::Names names,
               ast::Arena &arena);

} // namespace tangram::divide
