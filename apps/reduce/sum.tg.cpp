// The hello-world of Tangram: one spectrum, four interchangeable codelets.
#include <tangram/tangram.h>

__spectrum int sum(const Array<1, int> in);

// Atomic autonomous: what one worker does alone.
__codelet
int sum(const Array<1, int> in) {
  unsigned len = in.size();
  int accum = 0;
  for (unsigned i = 0; i < len; ++i) {
    accum += in[i];
  }
  return accum;
}

// Atomic cooperative: lanes exchange partial sums along a tree (Kogge-Stone).
__codelet __coop __tag(kog)
int sum(const Array<1, int> in) {
  __shared int tmp[coopDim()];
  unsigned len = in.size();
  unsigned id = coopIdx();
  tmp[id] = (id < len) ? in[id] : 0;
  for (unsigned s = 1; s < coopDim(); s *= 2) {
    if (id >= s)
      tmp[id] += tmp[id - s];
  }
  return tmp[coopDim() - 1];
}

// Compound, adjacent tiles: suits workers with caches of their own.
__codelet __tag(asso_tiled)
int sum(const Array<1, int> in) {
  __tunable unsigned p;
  unsigned len = in.size();
  unsigned tile = (len + p - 1) / p;
  return sum(map(sum, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len + 1))));
}

// Compound, interleaved tiles: suits workers that share a cache line.
__codelet __tag(stride_tiled)
int sum(const Array<1, int> in) {
  __tunable unsigned p;
  unsigned len = in.size();
  return sum(map(sum, partition(in, p, sequence(0, 1, p), sequence(p), sequence(len))));
}
