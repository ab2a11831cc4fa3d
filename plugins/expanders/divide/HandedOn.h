// Scalars that iterations of an inner loop hand on, in an element for each.
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::divide {

/// The codelet with rows of what iterations of an inner loop hand on to the next one, where the loop around it and all
/// in it is serial: of
///
///   for (i...) { int diagonal = i; for (j < m) { int above = row[j]; row[j] = f(diagonal, above); diagonal = above; }
///   }
///
/// `diagonal_row[j]` in the place of what is read, and `diagonal_row[j + 1]` of what is set (scalar expansion). An
/// iteration then waits for those that set an element that it reads, and the last ones that read what it sets, and not
/// for all of the row before it. What all iterations accumulate in a scalar, `most = std::max(most, row[j])`, each
/// element of such a row accumulates for itself, and they are combined behind the loops; of floating-point numbers
/// where these may be added in another order (`reorder`). The codelet itself where there are none.
const ast::Codelet *withRowsHandedOn(nest::Nests &nests, const ast::Codelet &codelet, bool reorder, ast::Arena &arena);

} // namespace tangram::divide
