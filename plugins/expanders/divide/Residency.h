// What the iterations of a loop keep near the workers that have them: rows that they come to several times, and
// containers of their own.
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::divide {

/// for (i...) { for (j...) s += x[i][j]; for (j...) x[i][j] /= s; }   as
///
///   __tunable unsigned room;
///   if (x.size(1) <= room)
///     for (i...) {
///       Array<1, T> x_row(std::min(x.size(1), room));
///       for (j...) x_row[j] = x[i][j];
///       for (j...) s += x_row[j];
///       for (j...) x_row[j] /= s;
///       for (j...) x[i][j] = x_row[j];
///     }
///   else
///     for (i...) ...
///
/// A row of a container that an iteration has for itself, or reads only, is loaded once where loops of the iteration
/// come to its elements again, and stored once; a container that the iteration declares has as many elements as there
/// is room for. A plan knows how many these are, so that they are in scratchpad memory where a group or a sub-group has
/// the iteration. `capacity`: bytes that an iteration may have at most. The very same codelet where nothing is kept.
const ast::Codelet *withResidentRows(nest::Nests &nests, const ast::Spectrum &spectrum, const ast::Codelet &codelet,
                                     std::uint64_t capacity, ast::Arena &arena);

} // namespace tangram::divide
