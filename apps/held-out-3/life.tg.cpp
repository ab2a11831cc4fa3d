// A generation of Conway's game of life on a torus, a cell a byte.
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void life(const Array<2, uint8_t> in, Array<2, uint8_t> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));

__codelet void life(const Array<2, uint8_t> in, Array<2, uint8_t> out) {
  int height = in.size(0), width = in.size(1);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      int alive = 0;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          if (dy != 0 || dx != 0) alive += in[(y + dy + height) % height][(x + dx + width) % width];
      out[y][x] = alive == 3 || (alive == 2 && in[y][x] == 1) ? 1 : 0;
    }
}
