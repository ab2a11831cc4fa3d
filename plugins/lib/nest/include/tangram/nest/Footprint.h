// What some iterations of a nest touch: as a set, as a box, and by strides.
#pragma once

#include "tangram/nest/Nest.h"

#include <map>

namespace tangram::nest {

/// Elements of one variable that a set of accesses touches.
struct Footprint {
  /// { variable[index...] }, over iterators of the loops that stand still and parameters.
  isl::set elements;
  bool exact = true; // no more than what is touched
};

/// What all iterations of a loop and those in it touch of a variable, while the loops around it stand still. Reads,
/// writes (which include atomics) or both.
enum class Touched : std::uint8_t { Reads, Writes, Both };
std::optional<Footprint> footprint(const Nest &nest, unsigned loop, unsigned variable, Touched what);

/// The smallest box around what a tile touches, of so many iterations of each loop; loops that are left out stand
/// still. An extent is a function of the tile sizes: piecewise affine in parameters that are called as tileSize() says.
struct Box {
  std::vector<isl::pw_aff> extents; // of the variable's own dimensions; not those of its scope
  /// An extent, for numbers of iterations.
  std::optional<std::int64_t> extent(unsigned dimension, const std::map<unsigned, std::int64_t> &tile) const;
  const Nest *nest = nullptr;
};
/// Iterations of the loop in a tile, as isl knows it.
std::string tileSize(const Nest &nest, unsigned loop);
/// Nothing where an index is not affine, or the extents are no such function. Bounds of the loops do not make it
/// smaller.
std::optional<Box> box(const Nest &nest, const std::vector<unsigned> &loops, unsigned variable, Touched what);

/// How much each index of the access changes from one iteration of the loop to the next; nothing where that differs
/// from place to place, or is not affine.
std::optional<std::vector<std::int64_t>> strides(const Nest &nest, const Access &access, unsigned loop);

} // namespace tangram::nest
