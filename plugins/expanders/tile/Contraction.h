// Sums of products over a loop, of which the units of a matrix engine compute blocks.
#pragma once

#include "References.h"

#include "tangram/hardware/MatrixShape.h"

namespace tangram::tile {

/// sum += a * b for each point of two dimensions in each turn of a loop: a is the same along the last dimension, b
/// along the first. What engines multiply in narrower types than they add up in is converted in the source.
struct Contraction {
  const ast::VarRef *sum = nullptr;
  std::vector<const ast::Expr *> a, b; // factors, of the type that is multiplied
};

/// Nothing where the segment is something else, or its factors are more than elements of staged tiles and what no loop
/// changes. `sums`: scalars that are kept for each point; `iterators` of the patch's two dimensions.
std::optional<Contraction> contraction(const Segment &segment, const References &references,
                                       const std::set<std::string> &sums, const std::vector<std::string> &iterators,
                                       const hardware::MatrixShape &shape);

} // namespace tangram::tile
