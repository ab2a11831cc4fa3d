// What kernels that are written by hand for a CPU share: vectors of floats, as wide as the machine's registers. GCC's.
#pragma once

#include "peer_kernel.h"

#include <cstddef>
#if defined(__AVX512F__) || defined(__AVX2__)
#pragma GCC diagnostic ignored "-Wuninitialized" // GCC 12, of its own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#endif

namespace careful {

using bench::In, bench::Out, bench::Result;
using Byte = unsigned char;

#ifdef __AVX512F__
constexpr std::size_t kWide = 16;
#else
constexpr std::size_t kWide = 8;
#endif
using Vector = float __attribute__((vector_size(kWide * sizeof(float)), aligned(sizeof(float))));
using Counts = int __attribute__((vector_size(kWide * sizeof(int)), aligned(sizeof(int))));

inline const Vector &vector(const float *from) { return *reinterpret_cast<const Vector *>(from); }
inline Vector &vector(float *to) { return *reinterpret_cast<Vector *>(to); }
inline const Counts &counts(const int *from) { return *reinterpret_cast<const Counts *>(from); }
inline Counts &counts(int *to) { return *reinterpret_cast<Counts *>(to); }

/// As many vectors as each has numbers: rows become columns. In each step halves of blocks change places.
template <class Index, class V, std::size_t n> inline void transpose(V (&x)[n]) {
#pragma GCC unroll 4
  for (std::size_t s = 1; s < n; s *= 2) {
    Index low{}, high{};
    for (std::size_t l = 0; l < n; ++l) {
      low[l] = static_cast<int>(l & s ? n + l - s : l);
      high[l] = static_cast<int>(l & s ? n + l : l + s);
    }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < n; ++i)
      if (!(i & s)) {
        const V a = x[i], b = x[i + s];
        x[i] = __builtin_shuffle(a, b, low);
        x[i + s] = __builtin_shuffle(a, b, high);
      }
  }
}
inline void transpose(Vector (&x)[kWide]) { transpose<Counts>(x); }

using Bytes16 = Byte __attribute__((vector_size(16), aligned(1)));

/// 16 points, of three arrays into one.
inline void interleave(const Byte *red, const Byte *green, const Byte *blue, Byte *to) {
  using Index = Byte __attribute__((vector_size(16)));
  const Bytes16 r = *reinterpret_cast<const Bytes16 *>(red), g = *reinterpret_cast<const Bytes16 *>(green);
  const Bytes16 b = *reinterpret_cast<const Bytes16 *>(blue);
  const Index first[3] = {{0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5},
                          {21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26},
                          {0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0}};
  const Index second[3] = {{0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15},
                           {0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15},
                           {26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31}};
#pragma GCC unroll 3
  for (std::size_t q = 0; q < 3; ++q)
    *reinterpret_cast<Bytes16 *>(to + 16 * q) = __builtin_shuffle(__builtin_shuffle(r, g, first[q]), b, second[q]);
}

} // namespace careful
