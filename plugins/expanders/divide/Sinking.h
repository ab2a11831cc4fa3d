// What a loop declares in front of the loop in it, in that loop: then both are one band.
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::divide {

enum class Sunk : std::uint8_t {
  Parallel, // from parallel loops into parallel ones
  All       // from any loop into any other, as far as that goes
};

/// for (i) { const T x = f(i); for (j) ... } as for (i) for (j) { const T x = f(i); ... }, where what x is computed of
/// does not change; the same codelet where there are none.
const ast::Codelet *withSunkDeclarations(nest::Nests &nests, const ast::Codelet &codelet, Sunk which,
                                         ast::Arena &arena);

} // namespace tangram::divide
