// Tiles that are sorted by a network of which each lane has several pairs.
#include <tangram/tangram.h>
#include <utility>
__spectrum void sort_tile(Array<1,unsigned> a) __requires(a.size() == 1024);
__codelet __coop __tag(bitonic) void sort_tile(Array<1,unsigned> a) {
  __shared unsigned t[1024];
  for (unsigned i = coopIdx(); i < 1024; i += coopDim()) t[i] = a[i];
  for (unsigned k = 2; k <= 1024; k *= 2)
    for (unsigned j = k / 2; j > 0; j /= 2)
      for (unsigned i = coopIdx(); i < 512; i += coopDim()) {
        unsigned lo = 2 * i - (i & (j - 1)), hi = lo + j;
        if ((t[lo] > t[hi]) == ((lo & k) == 0)) std::swap(t[lo], t[hi]);
      }
  for (unsigned i = coopIdx(); i < 1024; i += coopDim()) a[i] = t[i];
}
__codelet __tag(insertion) void sort_tile(Array<1,unsigned> a) {
  for (size_t i = 1; i < a.size(); ++i) { unsigned v = a[i]; size_t j = i; while (j > 0 && a[j - 1] > v) { a[j] = a[j - 1]; --j; } a[j] = v; }
}
__spectrum void tiles(Array<2,unsigned> a) __requires(a.size(1) == 1024);
__codelet void tiles(Array<2,unsigned> a) { map(sort_tile, a); }
