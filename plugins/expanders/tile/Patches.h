// A cooperative codelet for loops over ranges: lanes share tiles of what they read, and each keeps a patch of points in
// registers.
#pragma once

#include "Arrangement.h"
#include "RangeNest.h"
#include "Tiles.h"

#include "tangram/hardware/Hardware.h"

namespace tangram::tile {

struct PatchOptions {
  Choices choices;
  bool banks = true;     // scratchpad memory has banks, over which columns of a tile are spread
  bool lockstep = false; // lanes are those of vectors: only along the last dimension neighbours are loaded together
  const hardware::Level *engine = nullptr;      // whose units multiply matrices ...
  const hardware::MatrixShape *shape = nullptr; // ... of this shape: points are in their fragments
  std::uint64_t copies = 0; // bytes that a lane has copied into a tile at a time while it goes on; 0: it loads them
  bool nested = false;      // loops with statements beside others go around the points
  bool reorder = true;      // updates of floating-point numbers by atomics may be done in another order
};

/// Of one tile, whose sizes are parameters in front of the codelet's own; its patches are as large, where a plan does
/// not say otherwise. Null, with a reason, where the loops are none whose points can share what they read.
const ast::Codelet *patches(const ast::Module &module, const ast::Codelet &codelet, const RangeNest &nest,
                            const TileSizes &sizes, const PatchOptions &options, ast::Arena &arena, std::string &why);

} // namespace tangram::tile
