// Products of matrices that the lanes of a unit compute together, and which elements each lane has.
#pragma once

#include "tangram/ast/Type.h"

#include <array>
#include <cstddef>
#include <vector>

namespace tangram::hardware {

/// c += a * b with c of m x n, a of m x k and b of k x n elements, by 32 lanes in rows of 4.
/// The lane in row g, column t has of c, for each 8 rows r and 8 columns of c, elements (8 r + g, 2 t) and (8 r + g, 2
/// t + 1); of a, for each 8 rows r and 4 columns s, element (8 r + g, 4 s + t), those of one s after another; of b, for
/// each 4 rows s, element (4 s + t, g). Of elements of less than 4 bytes, which are packed into words, a lane may have
/// any others of a's columns, and the same of b's rows.
struct MatrixShape {
  static constexpr unsigned kLanes = 32, kRows = 8, kColumns = 8, kDepth = 4;

  static constexpr std::array kTypes{ast::Scalar::F64, ast::Scalar::F16, ast::Scalar::BF16, ast::Scalar::I8,
                                     ast::Scalar::U8};

  std::uint64_t m = 0, n = 0, k = 0;
  ast::Scalar type = ast::Scalar::F64; // of a and b
  double rate = 0;                     // multiplications with additions that a core does in a cycle; 0: not said
  ast::SourceRange range;              // in the target file

  /// The type of c, in which products are added up.
  ast::Scalar sum() const {
    switch (type) {
    case ast::Scalar::F16:
    case ast::Scalar::BF16: return ast::Scalar::F32;
    case ast::Scalar::I8:
    case ast::Scalar::U8: return ast::Scalar::I32;
    default: return type;
    }
  }
  std::uint64_t rowBlocks() const { return m / kRows; }
  std::uint64_t depthBlocks() const { return k / kDepth; }
  bool operator==(const MatrixShape &o) const { return m == o.m && n == o.n && k == o.k && type == o.type; }
};

/// Which of a lane's elements of a or b share a word of 32 bits, word by word: those at one row of `rows`, of columns
/// one after another. `count`: of all elements, in the order above; `bytes`: of one.
inline std::vector<std::vector<std::size_t>> wordsOfOperand(std::size_t count, std::size_t rows, unsigned bytes) {
  const std::size_t together = bytes < 4 ? 4 / bytes : 1;
  std::vector<std::vector<std::size_t>> words;
  for (std::size_t first = 0; first < count; first += together * rows)
    for (std::size_t row = 0; row < rows; ++row) {
      words.emplace_back();
      for (std::size_t i = 0; i < together; ++i) words.back().push_back(first + i * rows + row);
    }
  return words;
}

} // namespace tangram::hardware
