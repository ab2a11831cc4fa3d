// Patterns that are in many programs, written plainly: a histogram, softmax of rows, sorted tiles, a transpose, and two
// loops over one array.
#include <cmath>
#include <limits>
#include <tangram/tangram.h>

// How often each byte occurs, added to `bins`.
__spectrum void histogram(const Array<1, unsigned char> in, Array<1, unsigned> bins) __requires(bins.size() == 256);

__codelet __tag(own) void histogram(const Array<1, unsigned char> in, Array<1, unsigned> bins) {
  unsigned own[256];
  for (unsigned b = 0; b < 256; ++b) own[b] = 0;
  for (size_t i = 0; i < in.size(); ++i) ++own[in[i]];
  for (unsigned b = 0; b < 256; ++b) atomicAdd(bins[b], own[b]);
}
__codelet __coop __tag(shared) void histogram(const Array<1, unsigned char> in, Array<1, unsigned> bins) {
  __shared unsigned all[256];
  for (unsigned b = coopIdx(); b < 256; b += coopDim()) all[b] = 0;
  for (size_t i = coopIdx(); i < in.size(); i += coopDim()) atomicAdd(all[in[i]], 1u);
  for (unsigned b = coopIdx(); b < 256; b += coopDim()) atomicAdd(bins[b], all[b]);
}
__codelet __tag(tiled) void histogram(const Array<1, unsigned char> in, Array<1, unsigned> bins) {
  __tunable unsigned p;
  size_t n = in.size(), tile = (n + p - 1) / p;
  map(histogram, partition(in, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)), bins);
}

// exp(in[i]) / the sum of them, for one row and for all.
__spectrum void softmax(const Array<1, float> in, Array<1, float> out) __requires(in.size() == out.size());

__codelet __tag(serial) void softmax(const Array<1, float> in, Array<1, float> out) {
  size_t n = in.size();
  float most = -std::numeric_limits<float>::infinity(), sum = 0;
  for (size_t i = 0; i < n; ++i) most = std::max(most, in[i]);
  for (size_t i = 0; i < n; ++i) {
    out[i] = std::exp(in[i] - most);
    sum += out[i];
  }
  for (size_t i = 0; i < n; ++i) out[i] /= sum;
}
__codelet __coop __tag(lanes) void softmax(const Array<1, float> in, Array<1, float> out) {
  __shared float t[coopDim()];
  size_t n = in.size();
  unsigned id = coopIdx();
  float most = -std::numeric_limits<float>::infinity(), sum = 0;
  for (size_t i = id; i < n; i += coopDim()) most = std::max(most, in[i]);
  t[id] = most;
  for (unsigned s = coopDim() / 2; s > 0; s /= 2)
    if (id < s) t[id] = std::max(t[id], t[id + s]);
  most = t[0];
  for (size_t i = id; i < n; i += coopDim()) {
    out[i] = std::exp(in[i] - most);
    sum += out[i];
  }
  t[id] = sum;
  for (unsigned s = coopDim() / 2; s > 0; s /= 2)
    if (id < s) t[id] += t[id + s];
  sum = t[0];
  for (size_t i = id; i < n; i += coopDim()) out[i] /= sum;
}

__spectrum void softmax_rows(const Array<2, float> in, Array<2, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));
__codelet void softmax_rows(const Array<2, float> in, Array<2, float> out) { map(softmax, in, out); }

// Each tile of 256 in order.
__spectrum void sort_tile(const Array<1, int> in, Array<1, int> out)
    __requires(in.size() == out.size() && in.size() <= 256);

__codelet __tag(serial) void sort_tile(const Array<1, int> in, Array<1, int> out) {
  for (size_t i = 0; i < in.size(); ++i) {
    int x = in[i];
    size_t j = i;
    for (; j > 0 && out[j - 1] > x; --j) out[j] = out[j - 1];
    out[j] = x;
  }
}
__codelet __coop __tag(bitonic) void sort_tile(const Array<1, int> in, Array<1, int> out) {
  __shared int t[256];
  for (unsigned i = coopIdx(); i < 256; i += coopDim()) t[i] = i < in.size() ? in[i] : std::numeric_limits<int>::max();
  for (unsigned k = 2; k <= 256; k *= 2)
    for (unsigned j = k / 2; j > 0; j /= 2)
      for (unsigned pair = coopIdx(); pair < 128; pair += coopDim()) {
        unsigned i = pair / j * 2 * j + pair % j;
        int low = t[i], high = t[i + j];
        bool up = (i & k) == 0;
        t[i] = up ? std::min(low, high) : std::max(low, high);
        t[i + j] = up ? std::max(low, high) : std::min(low, high);
      }
  for (unsigned i = coopIdx(); i < in.size(); i += coopDim()) out[i] = t[i];
}

__spectrum void sort_tiles(const Array<1, int> in, Array<1, int> out) __requires(in.size() == out.size());
__codelet void sort_tiles(const Array<1, int> in, Array<1, int> out) {
  size_t n = in.size(), p = (n + 255) / 256;
  map(sort_tile, partition(in, p, sequence(0, 256, n), sequence(1), sequence(256, 256, n)),
      partition(out, p, sequence(0, 256, n), sequence(1), sequence(256, 256, n)));
}

__spectrum void transpose(const Array<2, float> in, Array<2, float> out)
    __requires(in.size(0) == out.size(1) && in.size(1) == out.size(0));

__codelet __tag(serial) void transpose(const Array<2, float> in, Array<2, float> out) {
  for (size_t i = 0; i < in.size(0); ++i)
    for (size_t j = 0; j < in.size(1); ++j) out[j][i] = in[i][j];
}
__codelet __tag(rows) void transpose(const Array<2, float> in, Array<2, float> out) {
  __tunable(8, 512, 8) unsigned tile;
  size_t n = in.size(0), p = (n + tile - 1) / tile;
  auto across = partition(out, 1, sequence(0), sequence(1), sequence(out.size(0)), p, sequence(0, tile, n), sequence(1),
                          sequence(tile, tile, n));
  map(transpose, partition(in, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)), across[0]);
}
__codelet __tag(columns) void transpose(const Array<2, float> in, Array<2, float> out) {
  __tunable(8, 512, 8) unsigned tile;
  size_t n = in.size(1), p = (n + tile - 1) / tile;
  auto across = partition(in, 1, sequence(0), sequence(1), sequence(in.size(0)), p, sequence(0, tile, n), sequence(1),
                          sequence(tile, tile, n));
  map(transpose, across[0], partition(out, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)));
}

// y = a x + y, and its squares.
__spectrum void saxpy(float a, const Array<1, float> x, Array<1, float> y) __requires(x.size() == y.size());
__spectrum void square(const Array<1, float> y, Array<1, float> z) __requires(y.size() == z.size());
__spectrum void saxpy_squares(float a, const Array<1, float> x, Array<1, float> y, Array<1, float> z)
    __requires(x.size() == y.size() && y.size() == z.size());

__codelet void saxpy(float a, const Array<1, float> x, Array<1, float> y) {
  for (size_t i = 0; i < x.size(); ++i) y[i] += a * x[i];
}
__codelet __tag(tiled) void saxpy(float a, const Array<1, float> x, Array<1, float> y) {
  __tunable unsigned p;
  size_t n = x.size(), tile = (n + p - 1) / p;
  map(saxpy, a, partition(x, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)),
      partition(y, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)));
}
__codelet void square(const Array<1, float> y, Array<1, float> z) {
  for (size_t i = 0; i < y.size(); ++i) z[i] = y[i] * y[i];
}
__codelet __tag(tiled) void square(const Array<1, float> y, Array<1, float> z) {
  __tunable unsigned p;
  size_t n = y.size(), tile = (n + p - 1) / p;
  map(square, partition(y, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)),
      partition(z, p, sequence(0, tile, n), sequence(1), sequence(tile, tile, n)));
}
__codelet void saxpy_squares(float a, const Array<1, float> x, Array<1, float> y, Array<1, float> z) {
  saxpy(a, x, y);
  square(y, z);
}
