// A loop over points that each reduce scalars, by lanes along both: neighbours along the points, so that columns of a
// matrix are read row by row, and parts of the reduction one below the other.
#pragma once

#include "Reductions.h"

namespace tangram::divide {

/// What stands in each iteration of a band of one loop: declarations, a reduction, and what is done with the result.
struct PointReduction {
  std::vector<const ast::Stmt *> before, behind;
  ReductionLoop loop; // its captures are the band's
};

/// A cooperative codelet of the band. Null where there is no value to begin parts with.
const ast::Codelet *columns(const Band &band, const PointReduction &reduction, const ast::Param *points,
                            const std::vector<const ast::Param *> &params, ast::Names names, ast::Arena &arena);

} // namespace tangram::divide
