// Motion search of an encoder: for each block of 16x16 a walk over diamonds to the best match, given up early where it is worse.
// sizes: current=8704x8192 reference=8704x8192 mv=544x512
// least: bytes 8704*8192*2+544*512*12; operations 544*512*20*256*3; launches 1
#include <cstdlib>
#include <tangram/tangram.h>

struct Vector {
  int dx, dy, cost;
};

constexpr int STEPX[8] = {2, 1, 0, -1, -2, -1, 0, 1}, STEPY[8] = {0, 1, 2, 1, 0, -1, -2, -1};

int difference(const Array<2, unsigned char> &a, const Array<2, unsigned char> &b, int y, int x, int by, int bx, int limit) {
  int sum = 0;
  for (int i = 0; i < 16; i++) {
    for (int j = 0; j < 16; j++) sum += abs((int)a[y + i][x + j] - (int)b[by + i][bx + j]);
    if (sum >= limit) return sum;
  }
  return sum;
}

__spectrum void diamond(const Array<2, unsigned char> current, const Array<2, unsigned char> reference, Array<2, Vector> mv)
    __requires(reference.size(0) == current.size(0) && reference.size(1) == current.size(1) &&
               current.size(0) == 16 * mv.size(0) && current.size(1) == 16 * mv.size(1));

__codelet void diamond(const Array<2, unsigned char> current, const Array<2, unsigned char> reference, Array<2, Vector> mv) {
  int height = current.size(0), width = current.size(1);
  for (int by = 0; by < (int)mv.size(0); by++)
    for (int bx = 0; bx < (int)mv.size(1); bx++) {
      int y = by * 16, x = bx * 16;
      int cx = x, cy = y, best = difference(current, reference, y, x, y, x, 1 << 30);
      for (int round = 0; round < 16; round++) {
        int pick = -1;
        for (int k = 0; k < 8; k++) {
          int tx = cx + STEPX[k], ty = cy + STEPY[k];
          if (tx < 0 || ty < 0 || tx > width - 16 || ty > height - 16) continue;
          int cost = difference(current, reference, y, x, ty, tx, best);
          if (cost < best) {
            best = cost;
            pick = k;
          }
        }
        if (pick < 0) break;
        cx += STEPX[pick];
        cy += STEPY[pick];
      }
      mv[by][bx] = {cx - x, cy - y, best};
    }
}
