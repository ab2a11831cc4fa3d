// Indices that wrap around: those that stay below three times the extent need no division, others do.
#include <tangram/tangram.h>

__spectrum void torus(const Array<2, int> in, Array<2, int> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));
__codelet void torus(const Array<2, int> in, Array<2, int> out) {
  int height = in.size(0), width = in.size(1);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      int sum = 0;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          sum += (3 * dy + dx) * in[(y + dy + height) % height][(x + dx + width) % width];
      out[y][x] = sum;
    }
}

// Without a sign; farther than is known; below 0; and of what data says.
__spectrum void rings(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());
__codelet void rings(const Array<1, int> in, Array<1, int> out) {
  size_t n = in.size();
  int m = n;
  for (size_t i = 0; i < n; ++i) {
    int sum = in[(i + n - 1) % n] - 2 * in[(i + 1) % n];
    sum += 3 * in[(i * 5 + 7) % n] + i % n;
    int back = (int(i) - m / 2) % m;
    sum += 5 * in[back < 0 ? back + m : back] + back;
    sum += 7 * in[size_t(in[i] < 0 ? 0 : in[i]) % n];
    out[i] = sum;
  }
}
