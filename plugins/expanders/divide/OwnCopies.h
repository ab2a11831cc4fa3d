// Loops that accumulate into elements of a container, whose parts each have a copy of the container of their own.
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::divide {

/// for (p...) c[f(p)] += e;   for each outermost loop that does nothing but accumulate into containers, as
///
///   own of [parts][as c];
///   for (k < parts) { own[k][...] = 0; for (p of part k) own[k][f(p)] += e; }
///   for (i...) for (k < parts) c[i] += own[k][i];
///
/// where `parts` is a tunable (array privatization): no update is atomic, and parts go side by side. `reorder`: also
/// sums that round; `most`: elements that copies may have together, which is a condition of the codelet. The very same
/// codelet where there is no such loop.
const ast::Codelet *withOwnCopies(const nest::Nest &nest, bool reorder, std::int64_t most, ast::Arena &arena);

} // namespace tangram::divide
