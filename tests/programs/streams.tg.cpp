// Parallel loops of which an iteration loads what the one before has loaded.
#include <algorithm>
#include <cstdint>
#include <tangram/tangram.h>

// Rows above and below, by one.
__spectrum void blurred(const Array<2, float> in, Array<2, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));
__codelet void blurred(const Array<2, float> in, Array<2, float> out) {
  for (size_t i = 1; i + 1 < in.size(0); ++i)
    for (size_t j = 1; j + 1 < in.size(1); ++j)
      out[i][j] = in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + 4 * in[i][j] + in[i][j + 1];
}

// Written as loops, around a torus, without the one in the middle: by two rows.
__spectrum void neighbours(const Array<2, uint8_t> in, Array<2, uint8_t> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));
__codelet void neighbours(const Array<2, uint8_t> in, Array<2, uint8_t> out) {
  int height = in.size(0), width = in.size(1);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      int sum = 0;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          if (dy != 0 || dx != 0) {
            int one = in[(y + dy + height) % height][(x + dx + width) % width];
            sum += one;
          }
      out[y][x] = uint8_t(sum);
    }
}

// At borders the nearest one inside; every second row, so that one is loaded again and two are not.
__spectrum void halved(const Array<2, int> in, Array<2, int> out) __requires(in.size(1) == out.size(1));
__codelet void halved(const Array<2, int> in, Array<2, int> out) {
  int height = in.size(0), width = in.size(1);
  for (int y = 0; y < int(out.size(0)); y += 2)
    for (int x = 0; x < width; ++x) {
      int least = x;
      for (int k = -1; k <= 1; ++k)
        if (height > 0) least = std::min(least, in[std::clamp(y + k, 0, height - 1)][x]);
      out[y][x] = least;
    }
}

// The middle one of three loops goes on; weights are the same for all.
__spectrum void box(const Array<3, double> weights, const Array<3, double> in, Array<3, double> out)
    __requires(weights.size(0) == 3 && weights.size(1) == 3 && weights.size(2) == 3)
        __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1) && in.size(2) == out.size(2));
__codelet void box(const Array<3, double> weights, const Array<3, double> in, Array<3, double> out) {
  for (size_t i = 1; i + 1 < in.size(0); ++i)
    for (size_t j = 1; j + 1 < in.size(1); ++j)
      for (size_t k = 1; k + 1 < in.size(2); ++k) {
        double sum = 0;
        for (size_t a = 0; a < 3; ++a)
          for (size_t b = 0; b < 3; ++b)
            for (size_t c = 0; c < 3; ++c) sum += weights[a][b][c] * in[i + a - 1][j + b - 1][k + c - 1];
        out[i][j][k] = sum;
      }
}

// What is written is not the same in the next iteration.
__spectrum void kept(Array<2, int> a, const Array<2, int> b)
    __requires(a.size(0) == b.size(0) && a.size(1) == b.size(1));
__codelet void kept(Array<2, int> a, const Array<2, int> b) {
  for (size_t i = 0; i + 2 < a.size(0); ++i)
    for (size_t j = 0; j < a.size(1); ++j) a[i][j] = b[i][j] - b[i + 2][j] + (b[i + 1][j] > 0 ? b[i + 2][j] : a[i][j]);
}

// Without a sign -1 is no number below 2: the loop has no turn.
__spectrum void unsigned_end(const Array<2, int> in, Array<2, int> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));
__codelet void unsigned_end(const Array<2, int> in, Array<2, int> out) {
  for (size_t i = 1; i + 1 < in.size(0); ++i)
    for (size_t j = 0; j < in.size(1); ++j) {
      int sum = in[i - 1][j] + 2 * in[i][j] + in[i + 1][j];
      for (int k = -1; size_t(k) < 2; ++k) sum += 100;
      for (int k = 0; k < 3; ++k)
        if (in[i][j] > k) ++k, sum += k;
      out[i][j] = sum;
    }
}

// Windows that end at borders, of channels side by side: what is outside is left out. Weights are those of a channel.
__spectrum void channels(const Array<3, float> in, const Array<2, float> weights, Array<3, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1) && in.size(2) == out.size(2))
        __requires(weights.size(0) == 9 && weights.size(1) == in.size(2));
__codelet void channels(const Array<3, float> in, const Array<2, float> weights, Array<3, float> out) {
  int height = in.size(0), width = in.size(1);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (size_t c = 0; c < in.size(2); ++c) {
        float sum = 0;
        for (int r = 0; r < 3; ++r)
          for (int s = 0; s < 3; ++s) {
            int i = y + r - 1, j = x + s - 1;
            if (i >= 0 && i < height && j >= 0 && j < width) sum += weights[3 * r + s][c] * in[i][j][c];
          }
        out[y][x][c] = sum;
      }
}

// The same down one column, with weights in a row.
__spectrum void taps(const Array<1, float> weights, const Array<2, float> in, Array<2, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1) && weights.size() == 3);
__codelet void taps(const Array<1, float> weights, const Array<2, float> in, Array<2, float> out) {
  int height = in.size(0);
  for (int y = 0; y < height; ++y)
    for (size_t x = 0; x < in.size(1); ++x) {
      float sum = 0;
      for (int r = 0; r < 3; ++r)
        if (y + r >= 1 && y + r - 1 < height) sum += weights[r] * in[y + r - 1][x];
      out[y][x] = sum;
    }
}

// Every second row, with the rows beside it, where they are there; bounds of the windows follow the iteration.
__spectrum void greatest(const Array<2, int> in, Array<2, int> out)
    __requires(out.size(0) == (in.size(0) + 1) / 2 && out.size(1) == in.size(1));
__codelet void greatest(const Array<2, int> in, Array<2, int> out) {
  int height = in.size(0);
  for (int y = 0; y < int(out.size(0)); ++y)
    for (size_t x = 0; x < in.size(1); ++x) {
      int most = -1000;
      for (int i = 2 * y - 1; i <= 2 * y + 1; ++i)
        if (i < 0 || i >= height)
          most = std::max(most, -100);
        else
          most = std::max(most, in[i][x]);
      out[y][x] = most;
    }
}
