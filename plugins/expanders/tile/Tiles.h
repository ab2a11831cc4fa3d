// A compound codelet for loops over ranges: tiles of them as the calls of one map.
#pragma once

#include "Arrangement.h"
#include "RangeNest.h"

#include <set>

namespace tangram::tile {

/// By the nest's loops that are tiled, the parameters that say how large a tile is.
using TileSizes = std::map<unsigned, const ast::Param *>;

/// The last two loops are tiled, or the only one; others are taken number by number.
TileSizes tileSizes(const ast::Codelet &codelet, const RangeNest &nest, ast::Arena &arena);

struct Tiles {
  /// Of all of the ranges, in tiles or as the spectrum divides them; of a tile by its number; of what is in it:
  /// patches. Without lanes that share a tile there is no use for tiles.
  std::vector<const ast::Spectrum *> spectrums;
};

/// Sizes of tiles are tunables; `inTile` are the codelets of what is in one.
Tiles tiles(const ast::Spectrum &spectrum, const ast::Codelet &codelet, const RangeNest &nest,
            const TileSizes &tileSizes, const std::vector<const ast::Codelet *> &inTile, const Choices &choices,
            ast::Names &spectrums, ast::Arena &arena);

/// Spectrums that some codelet calls with ranges that it makes, not with parts of them.
std::set<std::string> overWholeRanges(const ast::Module &module);

/// Of codelets that make whole ranges, another one that calls `tiled` spectrums in place of those that divide them:
/// parts of ranges are not tiled once more.
const ast::Module *withTiles(const ast::Module &module, const std::map<std::string, std::string> &tiled,
                             const std::vector<const ast::Spectrum *> &added, ast::Arena &arena);

} // namespace tangram::tile
