// Loops that write elements at places that only data tells, as `out[place[i]] = e` does.
#pragma once

#include "tangram/hardware/Hardware.h"
#include "tangram/nest/Read.h"

namespace tangram::divide {

/// for (i...) out[place[i]] = f(i);   as
///
///   own of [as out], 0; for (i...) own[place[i]] = max(own[place[i]], i + 1);
///   for (i...) if (own[place[i]] == i + 1) out[place[i]] = f(i);
///
/// for each loop that does nothing else that iterations would have to wait for: what an element holds in the end is
/// what the last iteration that wrote it has written, and only that one writes. The loop is independent then. Where
/// all iterations write one value, which stands still in the loop, each may write it, by an atomic exchange, if
/// `memory` has that for the type. `most`: elements that may be written at such places of a container that the codelet
/// is given, which is a condition of it. The very same codelet where there is no such loop.
const ast::Codelet *withLastWriters(const nest::Nest &nest, const hardware::Memory *memory, std::int64_t most,
                                    ast::Arena &arena);

} // namespace tangram::divide
