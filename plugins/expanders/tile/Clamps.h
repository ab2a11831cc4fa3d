// Indices that are clamped: functions of an affine index that leave an interval of its values as they are.
#pragma once

#include "tangram/nest/Nest.h"

#include <set>

namespace tangram::tile {

/// std::clamp(j + k - 4, 0, n - 1), and whatever else chooses between an index and bounds of it by comparing them.
struct Clamp {
  const ast::Expr *inner = nullptr; // j + k - 4
  isl::pw_aff value;                // which is that
  /// With `index()` in place of it: the whole, and whether it is the same. The values of which it is are neighbours.
  const ast::Expr *whole = nullptr, *keeps = nullptr;

  /// A number of 64 bits.
  static const ast::Expr *index(ast::Arena &arena);
  /// `e`, one of the two, where the index is `at`.
  static const ast::Expr *at(const ast::Expr *e, const ast::Expr *at, ast::Arena &arena);
};

/// Nothing where the access' index is none of these, or bounds depend on the iterators of `moving` loops.
std::optional<Clamp> clampOf(const ast::Module &module, const nest::Nest &nest, const nest::Access &access,
                             const ast::Expr *index, const std::set<std::string> &moving, ast::Arena &arena);

} // namespace tangram::tile
