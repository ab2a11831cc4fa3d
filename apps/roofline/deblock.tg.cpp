// The deblocking filter of a video decoder on luma, in place: vertical edges of 8x8 blocks, then horizontal ones.
// sizes: plane=16384x16384 strength=2048x2048 alpha=40 beta=8
// least: bytes 16384*16384*2+2048*2048; operations 16384*16384*4; launches 1
#include <algorithm>
#include <cstdlib>
#include <tangram/tangram.h>

typedef unsigned char pel;

__spectrum void deblock(int alpha, int beta, const Array<2, pel> strength, Array<2, pel> plane)
    __requires(plane.size(0) == 8 * strength.size(0) && plane.size(1) == 8 * strength.size(1));

__codelet void deblock(int alpha, int beta, const Array<2, pel> strength, Array<2, pel> plane) {
  const int rows = plane.size(0), cols = plane.size(1);
  for (int y = 0; y < rows; y++) {
    for (int x = 8; x < cols; x += 8) {
      int bs = strength[y / 8][x / 8];
      if (bs == 0) continue;
      int p1 = plane[y][x - 2], p0 = plane[y][x - 1], q0 = plane[y][x], q1 = plane[y][x + 1];
      if (abs(p0 - q0) >= alpha || abs(p1 - p0) >= beta || abs(q1 - q0) >= beta) continue;
      int tc = std::min(bs, 4) + 1;
      int delta = std::clamp((((q0 - p0) * 4) + (p1 - q1) + 4) >> 3, -tc, tc);
      plane[y][x - 1] = std::clamp(p0 + delta, 0, 255);
      plane[y][x] = std::clamp(q0 - delta, 0, 255);
    }
  }
  for (int y = 8; y < rows; y += 8) {
    for (int x = 0; x < cols; x++) {
      int bs = strength[y / 8][x / 8];
      if (bs == 0) continue;
      int p1 = plane[y - 2][x], p0 = plane[y - 1][x], q0 = plane[y][x], q1 = plane[y + 1][x];
      if (abs(p0 - q0) >= alpha || abs(p1 - p0) >= beta || abs(q1 - q0) >= beta) continue;
      int tc = std::min(bs, 4) + 1;
      int delta = std::clamp((((q0 - p0) * 4) + (p1 - q1) + 4) >> 3, -tc, tc);
      plane[y - 1][x] = std::clamp(p0 + delta, 0, 255);
      plane[y][x] = std::clamp(q0 - delta, 0, 255);
    }
  }
}
