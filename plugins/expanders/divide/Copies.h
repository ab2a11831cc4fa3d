// Loops that only have to wait for what earlier iterations read, made parallel by copies of what they read.
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::divide {

/// Of outermost loops whose iterations only read elements that later ones write (anti-dependences), the containers as
/// they were before, copied in front of the loop (renaming): of `for (i...) a[i] += a[i + 1];`
///
///   Array<1, float> a_before(a.size()); for (k...) a_before[k] = a[k]; for (i...) a[i] += a_before[i + 1];
///
/// The codelet itself where there are none.
const ast::Codelet *withCopies(nest::Nests &nests, const ast::Codelet &codelet, ast::Arena &arena);

} // namespace tangram::divide
