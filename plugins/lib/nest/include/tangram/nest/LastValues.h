// Scalars of which a loop leaves what its last iteration that set them has set: lastprivate, also conditional, as
// OpenMP calls them.
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::nest {

/// for (i...) if (c) { found = i; value = x[found]; }   as
///
///   latest = first; for (i...) if (c) if (i >= latest) { latest = i; found = i; value = x[i]; }
///
/// a selection (Selections.h) by the number of the iteration, of the outermost loop that does nothing with these
/// scalars but set them, by what no iteration hands to another one. What each iteration sets before it reads it is a
/// scalar of its own first, where somebody reads it behind the loop. The very same codelet where there are none.
const ast::Codelet *withLastValues(Nests &nests, const ast::Codelet *codelet, ast::Arena &arena);

} // namespace tangram::nest
