// Loops whose loads may be done ahead of earlier iterations (load-batching), and such whose loads may not. Each is right in
// one order only, or changes elements of its own.
#include <tangram/tangram.h>

__spectrum void batches(const Array<1, unsigned> in, const Array<1, unsigned> at, Array<1, unsigned> y,
                        Array<1, unsigned> z, size_t step)
    __requires(in.size() == at.size() && in.size() == y.size() && in.size() == z.size() && step > 0);

__codelet __tag(serial) void batches(const Array<1, unsigned> in, const Array<1, unsigned> at, Array<1, unsigned> y,
                                     Array<1, unsigned> z, size_t step) {
  size_t n = in.size();
  unsigned sum = 1;
  for (size_t i = 0; i < n; ++i) sum = sum * 31 + in[i];
  for (unsigned i = 2; i < n; i += 3) sum = sum * 17 + at[i];
  for (size_t i = 0; i < n; i += step) sum = sum * 13 + in[i];
  for (size_t i = 0; i < 5; ++i) sum = sum * 11 + (i < n ? in[i] : 3);
  for (size_t i = 0; i < n; ++i)
    if (in[i] % 2 == 0) {
      unsigned p = at[i] % n;
      sum += in[p] * 7 + at[i];
    } else if (i > 3 && in[i - 3] > in[i]) {
      sum = sum * 3 ^ at[i - 3];
    }
  for (size_t i = 0; i < n; ++i) y[i] += sum ^ in[i];
  for (size_t i = 0; i < n; ++i) {
    unsigned p = at[i] % n;
    z[i] = i % 3 != 0 ? in[p] : sum;
  }
  for (size_t i = 1; i < n; ++i) {
    unsigned before = z[i - 1];
    z[i] = before * 5 + in[i];
  }
  for (size_t i = 0; i < n; ++i) z[at[i] % n] += y[i];
  for (size_t i = 0; i < n; ++i) {
    unsigned other = y[at[i] % n];
    y[i] = other + z[i];
  }
  for (size_t i = 0; i < n; ++i) {
    unsigned p = (i + z[i] % 7) % n;
    atomicAdd(z[p], at[i]);
  }
}

__codelet __coop __tag(lanes) void batches(const Array<1, unsigned> in, const Array<1, unsigned> at,
                                           Array<1, unsigned> y, Array<1, unsigned> z, size_t step) {
  size_t n = in.size();
  unsigned sum = 1;
  for (size_t i = 0; i < n; ++i) sum = sum * 31 + in[i];
  for (unsigned i = 2; i < n; i += 3) sum = sum * 17 + at[i];
  for (size_t i = 0; i < n; i += step) sum = sum * 13 + in[i];
  for (size_t i = 0; i < 5; ++i) sum = sum * 11 + (i < n ? in[i] : 3);
  for (size_t i = 0; i < n; ++i)
    if (in[i] % 2 == 0) {
      unsigned p = at[i] % n;
      sum += in[p] * 7 + at[i];
    } else if (i > 3 && in[i - 3] > in[i]) {
      sum = sum * 3 ^ at[i - 3];
    }
  for (size_t i = coopIdx(); i < n; i += coopDim()) y[i] += sum ^ in[i];
  for (size_t i = coopIdx(); i < n; i += coopDim()) {
    unsigned p = at[i] % n;
    z[i] = i % 3 != 0 ? in[p] : sum;
  }
  if (coopIdx() == 0) {
    for (size_t i = 1; i < n; ++i) {
      unsigned before = z[i - 1];
      z[i] = before * 5 + in[i];
    }
    for (size_t i = 0; i < n; ++i) z[at[i] % n] += y[i];
    for (size_t i = 0; i < n; ++i) {
      unsigned other = y[at[i] % n];
      y[i] = other + z[i];
    }
    for (size_t i = 0; i < n; ++i) {
      unsigned p = (i + z[i] % 7) % n;
      atomicAdd(z[p], at[i]);
    }
  }
}
