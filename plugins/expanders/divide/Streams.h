// A parallel loop that lanes go through one iteration after the other, standing side by side along the loop in it: what
// one iteration has loaded, the next one has in registers.
#pragma once

#include "tangram/nest/Range.h"
#include "tangram/nest/Read.h"
#include "tangram/nest/ReusedLoads.h"

#include <optional>

namespace tangram::divide {

/// An iteration of two loops that stand directly in each other. Loops of few turns in it are written out.
struct Stream {
  std::vector<const ast::Stmt *> body;
  std::vector<nest::ReusedLoad> loads; // from one iteration of the outer loop to the next
};

/// Nothing where no iteration loads what the one before has loaded.
std::optional<Stream> streamOf(nest::Nests &nests, const nest::Nest &nest, unsigned outer, unsigned inner,
                               ast::Arena &arena);

/// The loop over the outer iterator's range, `range` being its parameter, and what stands in front of it. `own` is
/// declared anew in each iteration.
std::vector<const ast::Stmt *> streamed(const Stream &stream, const nest::LoopRange &iterator, const ast::Param *range,
                                        const std::vector<const ast::Stmt *> &own, ast::Arena &arena);

} // namespace tangram::divide
