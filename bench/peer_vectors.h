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

} // namespace careful
