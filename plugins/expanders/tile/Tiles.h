// A compound codelet for loops over ranges: tiles of them as the calls of one map.
#pragma once

#include "Arrangement.h"
#include "RangeNest.h"

namespace tangram::tile {

struct Tiles {
  const ast::Codelet *codelet = nullptr;
  const ast::Spectrum *spectrum = nullptr; // of one tile, which calls the codelet's own again
};

/// Sizes of tiles are tunables; the outermost of three loops is taken number by number.
Tiles tiles(const ast::Spectrum &spectrum, const ast::Codelet &codelet, const RangeNest &nest, const Choices &choices,
            ast::Names &spectrums, ast::Arena &arena);

} // namespace tangram::tile
