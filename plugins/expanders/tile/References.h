// What a segment reads of containers that nobody writes, or of its own elements, and of which it pays to have a tile at
// hand.
#pragma once

#include "Clamps.h"
#include "Padding.h"
#include "Segments.h"

#include <array>

namespace tangram::tile {

/// How much each index of a reference changes from one position of a loop to the next: [loop][dimension]. Loops are the
/// dimensions of the patch, and behind these the loops of the segment from its panel on.
using Strides = std::vector<std::vector<std::int64_t>>;

struct Reference {
  const ast::Subscript *node = nullptr; // all of an element's indices
  /// The same, without variables of the body: what these are declared as stands in their place.
  std::vector<const ast::Expr *> indices{};
  const ast::Param *container = nullptr;
  std::optional<Strides> strides;     // nothing: the index is not affine in them
  bool certain = false;               // done in each turn
  std::vector<std::int64_t> offset{}; // to the first one of its tile
  /// Of each index that is clamped, by what; strides and offset are those of the index that it clamps.
  std::vector<std::optional<Clamp>> clamps{};
  /// It is `then` of a choice between it and zero: when it is not zero. Empty: always.
  Padding padding{};
};

/// References that differ by constants (uniformly generated), as one box: element 0 is where the first is at the first
/// position of all loops, plus `least`. Where an index is clamped, the same way in all of them, the box is that of
/// indices that are not, and has the elements that these are clamped to. What is padded has zeros, where all are alike.
struct Tile {
  const ast::Param *container = nullptr;
  Strides strides;
  std::vector<std::int64_t> least, most; // of the references' offsets, one a dimension
  std::vector<Reference> references;
  std::vector<unsigned> order; // dimensions of the container as the tile has them, slowest first
};

struct References {
  std::vector<Reference> direct; // read where they are
  std::vector<Tile> tiles;
  /// What each point stores in each turn, and nobody else touches meanwhile, rows of points' own that lie apart:
  /// neighbouring lanes would store far from each other. One reference each. What it reads of them before, in place, is
  /// in `tiles`.
  std::vector<Tile> stored;
};

/// What counts as zero in a segment.
ZeroPadding zeroPadding(const RangeNest &nest, const Segment &segment, ast::Arena &arena);

/// `dims`: the loops of the patch, of which neighbouring lanes have neighbouring positions of the last one; with
/// `lockstep` they move along that one alone.
References referencesOf(const ast::Module &module, const RangeNest &nest, const std::vector<unsigned> &dims,
                        const Segment &segment, const std::set<std::string> &written,
                        const std::set<std::string> &declared, const ZeroPadding &zeros, bool lockstep,
                        ast::Arena &arena);

/// Of a band of three loops or more, all of which carry nothing: puts that one beside the last along which, or along
/// the last, most of what its serial loops read is read again. Of a convolution with several channels, output channels:
/// weights are read again along a row, and pictures along channels.
void arrangeForReuse(RangeNest &nest, const std::set<std::string> &written);

/// The loop along which most of what is written, or else read, is contiguous, of the band's last two.
std::size_t contiguousLoop(const RangeNest &nest, const std::set<std::string> &written);

/// Whether the reference depends on a loop.
inline bool moves(const Strides &strides, std::size_t loop) {
  for (std::int64_t s : strides[loop])
    if (s != 0) return true;
  return false;
}

} // namespace tangram::tile
