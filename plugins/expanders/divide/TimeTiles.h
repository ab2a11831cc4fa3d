// Steps of time in tiles of a grid: several steps at once of what a group of lanes has in its scratchpad memory.
#pragma once

#include "tangram/ast/Names.h"
#include "tangram/nest/Read.h"

#include <optional>

namespace tangram::divide {

/// What plans choose from.
struct TimeTileChoices {
  ast::Ints steps{2, 4, 8};           // of a tile at once
  ast::Ints lengths{512, 1024, 2048}; // extents of tiles of one dimension, with what lies beside,
  ast::Ints squares{32, 64, 128};     // of two, in each,
  ast::Ints cubes{8, 16, 32};         // and of three
  ast::Ints lanes{16, 32, 64};        // along the contiguous dimension, of two or more
  bool lockstep = false;              // lanes are those of a processor's vectors
  const ast::Ints &of(std::size_t rank) const { return rank == 1 ? lengths : rank == 2 ? squares : cubes; }
};

struct TimeTiles {
  const ast::Codelet *codelet = nullptr; // which calls the first spectrum in place of its loop
  std::vector<const ast::Spectrum *> spectrums;
};

/// Of the codelet's first loop over steps of time (TimeSteps.h) whose steps read beside what they write: overlapped
/// tiling (Krishnamoorthy and others, Effective automatic parallelization of stencil computations, PLDI 2007). Of
///
///   for (t...) { for (i...) b[i] = f(a[i - 1], a[i], a[i + 1]); for (i...) a[i] = f(b[i - 1], b[i], b[i + 1]); }
///
/// each tile loads its elements and as many beside them as its steps reach, does these steps, each on fewer of the
/// elements beside, and stores its own elements to a second container, from which the next steps come back. Nothing
/// where there is none; `refused`: loops that stay as they are, and why.
std::optional<TimeTiles> timeTiles(nest::Nests &nests, const ast::Spectrum &spectrum, const ast::Codelet &codelet,
                                   const std::string &name, const TimeTileChoices &choices, ast::Names &names,
                                   ast::Arena &arena, std::vector<nest::Remark> &refused);

} // namespace tangram::divide
