// Steps of time that compute from one container into another, and back, instead of copying one to the other.
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::divide {

/// The codelet with such loops, among its outermost ones, over pairs of steps; the very same one where there are none:
///
///   for (t...) { for (i...) next[i] = f(t, a[i - 1], a[i]); for (i...) a[i] = next[i]; }
///
/// from `a` to `next`, and from `next` to `a`, and where the number of steps is odd, the last one as it is written. In
/// front of them `next` becomes a copy of `a`, of which steps leave some elements alone. The copy may also be what a
/// step begins with, and of several containers, in one loop or several. The other container is one that the codelet
/// declares, as large as the one that it is given, by what the spectrum requires, and nobody else touches it.
const ast::Codelet *withAlternatingBuffers(nest::Nests &nests, const ast::Spectrum &spectrum,
                                           const ast::Codelet &codelet, ast::Arena &arena);

} // namespace tangram::divide
