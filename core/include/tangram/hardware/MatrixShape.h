// Products of matrices that the lanes of a unit compute together, and which elements each lane has.
#pragma once

#include "tangram/ast/Type.h"

namespace tangram::hardware {

/// c += a * b with c of m x n, a of m x k and b of k x n elements, by 32 lanes in rows of 4.
/// The lane in row g, column t has of c, for each 8 rows r and 8 columns of c, elements (8 r + g, 2 t) and (8 r + g, 2
/// t + 1); of a, for each 8 rows r and 4 columns s, element (8 r + g, 4 s + t), those of one s after another; of b, for
/// each 4 rows s, element (4 s + t, g).
struct MatrixShape {
  static constexpr unsigned kLanes = 32, kRows = 8, kColumns = 8, kDepth = 4;

  std::uint64_t m = 0, n = 0, k = 0;
  ast::Scalar type = ast::Scalar::F64; // of all elements
  double rate = 0;                     // multiplications with additions that a core does in a cycle; 0: not said
  ast::SourceRange range;              // in the target file

  std::uint64_t rowBlocks() const { return m / kRows; }
  std::uint64_t depthBlocks() const { return k / kDepth; }
  bool operator==(const MatrixShape &o) const { return m == o.m && n == o.n && k == o.k && type == o.type; }
};

} // namespace tangram::hardware
