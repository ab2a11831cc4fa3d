// What kernels for attention that are written by hand for a CPU share: a block of queries and a tile of keys, heads of
// 64 numbers.
#pragma once

#include "peer_vectors.h"

namespace careful {

constexpr std::size_t kDepth = 64, kQueries = 32, kKeys = 128, kPairs = 2 * kWide;

/// scores[q][j] = scale * query q times key j; `keys` has kKeys numbers of each dimension.
inline void scoresOf(const float *queries, const float *keys, float scale, float (&scores)[kQueries][kKeys]) {
  constexpr std::size_t kTogether = 8;
  for (std::size_t j = 0; j < kKeys; j += kPairs)
    for (std::size_t q = 0; q < kQueries; q += kTogether) {
      Vector sum[kTogether][2] = {};
      for (std::size_t d = 0; d < kDepth; ++d) {
        const Vector left = vector(keys + d * kKeys + j), right = vector(keys + d * kKeys + j + kWide);
#pragma GCC unroll 8
        for (std::size_t r = 0; r < kTogether; ++r) {
          const float own = queries[(q + r) * kDepth + d];
          sum[r][0] += own * left;
          sum[r][1] += own * right;
        }
      }
#pragma GCC unroll 8
      for (std::size_t r = 0; r < kTogether; ++r) {
        vector(&scores[q + r][j]) = scale * sum[r][0];
        vector(&scores[q + r][j + kWide]) = scale * sum[r][1];
      }
    }
}

/// results[q] = factor[q] * results[q] + the sum of shares[q][j] * values[j].
inline void addValues(const float (&shares)[kQueries][kKeys], const float *values, std::size_t many,
                      const float (&factor)[kQueries], float (&results)[kQueries][kDepth]) {
  constexpr std::size_t kTogether = 4, kVectors = kDepth / kWide / 2; // half of a row in registers
  for (std::size_t q = 0; q < kQueries; q += kTogether)
    for (std::size_t half = 0; half < kDepth; half += kDepth / 2) {
      Vector sum[kTogether][kVectors];
#pragma GCC unroll 8
      for (std::size_t r = 0; r < kTogether; ++r)
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kVectors; ++v)
          sum[r][v] = factor[q + r] * vector(&results[q + r][half + v * kWide]);
      for (std::size_t j = 0; j < many; ++j)
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kVectors; ++v) {
          const Vector value = vector(values + j * kDepth + half + v * kWide);
#pragma GCC unroll 8
          for (std::size_t r = 0; r < kTogether; ++r) sum[r][v] += shares[q + r][j] * value;
        }
#pragma GCC unroll 8
      for (std::size_t r = 0; r < kTogether; ++r)
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kVectors; ++v) vector(&results[q + r][half + v * kWide]) = sum[r][v];
    }
}

} // namespace careful
