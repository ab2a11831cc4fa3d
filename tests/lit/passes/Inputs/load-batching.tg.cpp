// Loops of lanes: loads that may be done ahead of earlier iterations, and such that may not.
#include <tangram/tangram.h>

__spectrum void ahead(const Array<1, float> a, const Array<1, float> b, const Array<1, unsigned> at, Array<1, float> y,
                      Array<1, float> z, Array<1, unsigned> count, size_t step)
    __requires(a.size() == b.size() && a.size() == at.size() && a.size() == y.size() && a.size() == z.size());

__codelet __coop void ahead(const Array<1, float> a, const Array<1, float> b, const Array<1, unsigned> at,
                            Array<1, float> y, Array<1, float> z, Array<1, unsigned> count, size_t step) {
  size_t n = a.size();
  float sum = 0;
  for (size_t i = coopIdx(); i < n; i += coopDim()) sum += a[i] * b[i];
  for (size_t i = coopIdx(); i < n; i += coopDim()) y[i] += sum * a[i];
  for (size_t i = coopIdx(); i < n; i += coopDim()) {
    unsigned p = at[i];
    float v = p < n ? b[p] : 0.0f;
    z[i] = v;
  }
  for (size_t i = coopIdx(); i < n; i += coopDim()) atomicAdd(count[at[i] % count.size()], 1u);
  for (size_t i = coopIdx(); i < n; i += step) sum += b[i];
  for (size_t i = 0; i < 3; ++i) sum += b[i % n];
  z[coopIdx() % n] = sum;
}

__spectrum void behind(const Array<1, unsigned> next, Array<1, float> y, Array<1, unsigned> count)
    __requires(next.size() == y.size() && next.size() == count.size());

__codelet void behind(const Array<1, unsigned> next, Array<1, float> y, Array<1, unsigned> count) {
  size_t n = next.size(), at = 0;
  for (size_t i = 0; i < n; ++i) y[i] = y[n - 1 - i];             // what an earlier iteration has written
  for (size_t i = 0; i < n; ++i) y[i] = y[i] + y[(i + 1) % n];    // the same, perhaps
  for (size_t i = 0; i < n; ++i) at = next[at % n];               // of which each says where the next one is
  for (size_t i = 0; i < n; ++i) atomicAdd(count[(i + count[i]) % n], 1u);
  for (size_t i = 0; i < n; ++i) {                                // how many there are, the last one says
    if (next[i] == 7) break;
    y[i] = 2;
  }
  y[0] = at;
}

__spectrum void columns(float b, const Array<2, float> in, Array<2, float> out)
    __requires(out.size(0) == in.size(0) && out.size(1) == in.size(1));

__codelet void columns(float b, const Array<2, float> in, Array<2, float> out) {
  for (size_t j = 0; j < in.size(1); ++j) {
    float y = 0;
    for (size_t i = 0; i < in.size(0); ++i) {
      y = in[i][j] + b * y;
      out[i][j] = y;
    }
  }
}
