// Ising's model of a magnet by Metropolis's method: black points of a checkerboard, then white ones, turn with a
// probability that their neighbours decide. Random numbers are hashes of where and when; the border is fixed.
#include <cstdint>
#include <tangram/tangram.h>

__spectrum int64_t ising(unsigned sweeps, unsigned seed, const Array<1, unsigned> threshold, Array<2, uint8_t> up)
    __requires(threshold.size() == 5);

unsigned mix(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

__codelet int64_t ising(unsigned sweeps, unsigned seed, const Array<1, unsigned> threshold, Array<2, uint8_t> up) {
  unsigned rows = up.size(0), columns = up.size(1);
  for (unsigned t = 0; t < sweeps; ++t)
    for (unsigned color = 0; color < 2; ++color) {
      unsigned key = mix(seed + 2 * t + color);
      for (unsigned i = 1; i + 1 < rows; ++i)
        for (unsigned j = 1 + (i + color) % 2; j + 1 < columns; j += 2) {
          unsigned around = up[i - 1][j] + up[i + 1][j] + up[i][j - 1] + up[i][j + 1];
          unsigned alike = up[i][j] != 0 ? around : 4 - around;
          if (mix(key ^ (i * columns + j)) < threshold[alike]) up[i][j] = 1 - up[i][j];
        }
    }
  int64_t magnet = 0;
  for (unsigned i = 0; i < rows; ++i)
    for (unsigned j = 0; j < columns; ++j) magnet += up[i][j] != 0 ? 1 : -1;
  return magnet;
}
