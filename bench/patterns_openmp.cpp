// Compiled with -ffast-math: only then GCC takes exp of vectors.
#include "patterns_openmp.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace careful {

void histogram(const unsigned char *in, std::size_t n, unsigned *bins) {
#pragma omp parallel
  {
    unsigned own[4][256] = {}; // equal bytes in a row do not wait for each other
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < n / 4; ++i)
      for (std::size_t k = 0; k < 4; ++k) ++own[k][in[4 * i + k]];
#pragma omp single nowait
    for (std::size_t i = n / 4 * 4; i < n; ++i) ++own[0][in[i]];
    for (int b = 0; b < 256; ++b) {
      unsigned all = own[0][b] + own[1][b] + own[2][b] + own[3][b];
#pragma omp atomic
      bins[b] += all;
    }
  }
}

void softmaxRows(const float *in, float *out, std::size_t rows, std::size_t n) {
#pragma omp parallel for schedule(static)
  for (std::size_t r = 0; r < rows; ++r) {
    const float *from = in + r * n;
    float *to = out + r * n;
    float most = std::numeric_limits<float>::lowest(), sum = 0;
#pragma omp simd reduction(max : most)
    for (std::size_t i = 0; i < n; ++i) most = from[i] > most ? from[i] : most;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < n; ++i) {
      to[i] = std::exp(from[i] - most);
      sum += to[i];
    }
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) to[i] /= sum;
  }
}

void sortTiles(const std::vector<int> &in, std::vector<int> &out) {
  std::size_t n = in.size();
#pragma omp parallel for schedule(static)
  for (std::size_t tile = 0; tile < n; tile += 256) {
    std::size_t end = std::min(tile + 256, n);
    std::copy(&in[0] + tile, &in[0] + end, &out[0] + tile);
    std::sort(&out[0] + tile, &out[0] + end);
  }
}

void transpose(const float *in, float *out, std::size_t rows, std::size_t columns) {
  constexpr std::size_t kTile = 32;
#pragma omp parallel for collapse(2) schedule(static)
  for (std::size_t i = 0; i < rows; i += kTile)
    for (std::size_t j = 0; j < columns; j += kTile)
      for (std::size_t y = j; y < std::min(j + kTile, columns); ++y)
        for (std::size_t x = i; x < std::min(i + kTile, rows); ++x) out[y * rows + x] = in[x * columns + y];
}

void saxpySquares(float a, const std::vector<float> &x, std::vector<float> &y, std::vector<float> &z) {
  std::size_t n = x.size();
  const float *from = x.data();
  float *sum = y.data(), *square = z.data();
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < n; ++i) {
    sum[i] += a * from[i];
    square[i] = sum[i] * sum[i];
  }
}

// Blocks of rows, of which three planes stay in the cache.
void stencil7(float center, float around, const float *in, float *out, const std::size_t (&size)[3]) {
  constexpr std::size_t kRows = 32, kPlanes = 32;
  const std::size_t n0 = size[0], n1 = size[1], n2 = size[2], plane = n1 * n2;
  if (n0 < 3 || n1 < 3 || n2 < 3) return;
#pragma omp parallel for collapse(2) schedule(static)
  for (std::size_t top = 1; top < n0 - 1; top += kPlanes)
    for (std::size_t left = 1; left < n1 - 1; left += kRows)
      for (std::size_t i = top; i < std::min(top + kPlanes, n0 - 1); ++i)
        for (std::size_t j = left; j < std::min(left + kRows, n1 - 1); ++j) {
          const float *from = in + i * plane + j * n2;
          float *to = out + i * plane + j * n2;
#pragma omp simd
          for (std::size_t k = 1; k < n2 - 1; ++k)
            to[k] = center * from[k] + around * (from[k - plane] + from[k + plane] + from[k - n2] + from[k + n2] +
                                                 from[k - 1] + from[k + 1]);
        }
}

} // namespace careful
