// Elements that scalars stand for, as they were: the reverse of scalar replacement.
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::divide {

/// for (...) { T x = b[i][j]; for (k...) x -= l[i][k] * b[k][j]; b[i][j] = x; }   as
/// for (...) for (k...) b[i][j] -= l[i][k] * b[k][j];   where nothing in between touches b[i][j], so that iterations
/// hold nothing that others would have to have apart. The very same codelet where there is no such scalar.
const ast::Codelet *withElementsInPlace(nest::Nests &nests, const ast::Codelet &codelet, ast::Arena &arena);

} // namespace tangram::divide
