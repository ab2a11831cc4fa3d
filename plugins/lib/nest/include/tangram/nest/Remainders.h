// Divisions that are none: of indices that wrap around.
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::nest {

/// Indices like (x + dx + n) % n as   i < n ? i : i - n < n ? i - n : i - n - n   with i = x + dx + n, where n is no
/// number, and i is at least 0 and less than 3 n in all iterations. The very same codelet where there are none.
const ast::Codelet *withoutRemainders(Nests &nests, const ast::Codelet *codelet, ast::Arena &arena);

} // namespace tangram::nest
