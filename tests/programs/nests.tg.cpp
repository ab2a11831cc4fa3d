// Loop nests whose points share what they read: the expander `tile` makes patches of them.
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

// C += A B^T, of 64 bits.
__spectrum void accumulate(const Array<2, double> a, const Array<2, double> b, Array<2, double> c)
    __requires(a.size(0) == c.size(0) && b.size(0) == c.size(1) && a.size(1) == b.size(1));
__codelet void accumulate(const Array<2, double> a, const Array<2, double> b, Array<2, double> c) {
  for (size_t i = 0; i < c.size(0); ++i)
    for (size_t j = 0; j < c.size(1); ++j)
      for (size_t k = 0; k < a.size(1); ++k) c[i][j] += a[i][k] * b[j][k];
}

// Windows of 7 x 7 overlap: their union is loaded.
__spectrum void convolution(const Array<2, float> in, const Array<2, float> weight, Array<2, float> out)
    __requires(weight.size(0) == 7 && weight.size(1) == 7 && in.size(0) == out.size(0) + 6 &&
               in.size(1) == out.size(1) + 6);
__codelet void convolution(const Array<2, float> in, const Array<2, float> weight, Array<2, float> out) {
  for (size_t y = 0; y < out.size(0); ++y)
    for (size_t x = 0; x < out.size(1); ++x) {
      float sum = 0;
      for (size_t i = 0; i < 7; ++i)
        for (size_t j = 0; j < 7; ++j) sum += weight[i][j] * in[y + i][x + j];
      out[y][x] = sum;
    }
}

// Windows beyond the edges, where there are the elements of the edge: by minima and maxima, and by conditions.
__spectrum void windows(const Array<2, float> in, const Array<2, float> weight, Array<2, float> out)
    __requires(weight.size(0) == 3 && weight.size(1) == 5 && in.size(0) == out.size(0) && in.size(1) == out.size(1));
__codelet void windows(const Array<2, float> in, const Array<2, float> weight, Array<2, float> out) {
  int height = in.size(0), width = in.size(1);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      float sum = 0;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 5; ++j)
          sum += weight[i][j] * (in[std::clamp(y + i - 1, 0, height - 1)][std::clamp(x + j - 2, 0, width - 1)] +
                                 in[y + i >= height ? height - 1 : y + i][x + j < 4 ? 0 : x + j - 4]);
      out[y][x] = sum;
    }
}

// One dimension of points, all of which read all of what the loop goes through.
struct Body {
  float x, y, z, mass;
};
__spectrum void forces(const Array<1, Body> bodies, Array<2, float> force)
    __requires(force.size(0) == bodies.size() && force.size(1) == 3);
__codelet void forces(const Array<1, Body> bodies, Array<2, float> force) {
  for (size_t i = 0; i < bodies.size(); ++i) {
    float x = 0, y = 0, z = 0;
    for (size_t j = 0; j < bodies.size(); ++j) {
      float dx = bodies[j].x - bodies[i].x, dy = bodies[j].y - bodies[i].y, dz = bodies[j].z - bodies[i].z;
      float near = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01f);
      float pull = bodies[j].mass * near * near * near;
      x += dx * pull;
      y += dy * pull;
      z += dz * pull;
    }
    force[i][0] = x;
    force[i][1] = y;
    force[i][2] = z;
  }
}

__spectrum void transpose(const Array<2, float> in, Array<2, float> out)
    __requires(in.size(0) == out.size(1) && in.size(1) == out.size(0));
__codelet void transpose(const Array<2, float> in, Array<2, float> out) {
  for (size_t i = 0; i < in.size(0); ++i)
    for (size_t j = 0; j < in.size(1); ++j) out[j][i] = in[i][j];
}

// Three loops, of which the last two have patches.
__spectrum void batched(const Array<3, float> a, const Array<3, float> b, Array<3, float> c)
    __requires(a.size(0) == c.size(0) && b.size(0) == c.size(0) && a.size(1) == c.size(1) && b.size(2) == c.size(2) &&
               a.size(2) == b.size(1));
__codelet void batched(const Array<3, float> a, const Array<3, float> b, Array<3, float> c) {
  for (size_t n = 0; n < c.size(0); ++n)
    for (size_t i = 0; i < c.size(1); ++i)
      for (size_t j = 0; j < c.size(2); ++j) {
        float sum = 0;
        for (size_t k = 0; k < a.size(2); ++k) sum += a[n][i][k] * b[n][k][j];
        c[n][i][j] = sum;
      }
}

// Backwards, every other element, on a condition, and a division that must not be done for points that are not there.
__spectrum void remainders(const Array<1, int> a, const Array<1, int> b, Array<2, int> c)
    __requires(b.size() == c.size(1) && a.size() == c.size(0) + 2 * c.size(1));
__codelet void remainders(const Array<1, int> a, const Array<1, int> b, Array<2, int> c) {
  for (size_t i = 0; i < c.size(0); ++i)
    for (size_t j = 0; j < c.size(1); j += 2) {
      int odd = 0, all = 0;
      for (size_t k = 0; k < c.size(1); ++k) {
        int by = a[i + 2 * j - j + k] * a[i + 2 * j - j + k] + 1;
        if (b[c.size(1) - 1 - k] % by != 0) odd += 1;
      }
      for (size_t k = 1; k < c.size(1); k += 3) all += a[i + k] * b[k];
      c[i][j] = odd + all;
    }
}

// Rows go from element to element, a row a lane: what lanes store goes through a tile as well.
__spectrum void averages(const Array<2, float> in, Array<2, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));
__codelet void averages(const Array<2, float> in, Array<2, float> out) {
  for (size_t i = 0; i < in.size(0); ++i) {
    float average = 0;
    for (size_t t = 0; t < in.size(1); ++t) {
      average = 0.25f * in[i][t] + 0.75f * average;
      out[i][t] = average;
    }
    if (in.size(1) > 0) out[i][0] += average;
  }
}

// The condition of a point stands around its loop, and says that what it reads is there.
__spectrum void displaced(const Array<3, float> a, const Array<3, float> b, Array<3, float> out)
    __requires(a.size(0) == b.size(0) && a.size(1) == b.size(1) && a.size(2) == b.size(2) && out.size(0) == 5)
        __requires(out.size(1) == a.size(1) && out.size(2) == a.size(2));
__codelet void displaced(const Array<3, float> a, const Array<3, float> b, Array<3, float> out) {
  int channels = a.size(0), height = a.size(1), width = a.size(2);
  for (int d = 0; d < 5; ++d)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        int i = y + d - 2, j = x + d - 2;
        float sum = 0;
        if (i >= 0 && i < height && j >= 0 && j < width)
          for (int c = 0; c < channels; ++c) sum += a[c][y][x] * b[c][i][j];
        out[d][y][x] = sum;
      }
}

// Sums in sums, by groups of 24 and by rows of b: what is declared in a loop that all points go through.
__spectrum void grouped(const Array<2, int> a, const Array<2, int> b, const Array<2, int> scale, Array<2, int> c)
    __requires(a.size(0) == c.size(0) && b.size(0) == c.size(1) && a.size(1) == b.size(1))
        __requires(a.size(1) == scale.size(1) * 24 && scale.size(0) == c.size(1));

__codelet void grouped(const Array<2, int> a, const Array<2, int> b, const Array<2, int> scale, Array<2, int> c) {
  for (size_t i = 0; i < c.size(0); ++i)
    for (size_t j = 0; j < c.size(1); ++j) {
      int sum = 0;
      for (size_t g = 0; g < scale.size(1); ++g) {
        int part = 0, odd = 1;
        for (size_t k = 24 * g; k < 24 * (g + 1); ++k) {
          part += a[i][k] * b[j][k];
          odd ^= b[j][k];
        }
        sum += scale[j][g] * part;
        if (odd > part) sum -= odd;
      }
      for (size_t t = 0; t < b.size(0); ++t) {
        int most = c[i][j];
        for (size_t k = 0; k < a.size(1); ++k) most = most < a[i][k] + b[t][k] ? a[i][k] + b[t][k] : most;
        sum = sum * 3 + most;
      }
      c[i][j] = sum;
    }
}
