// NPB IS: the ranks of integer keys by counting.
// sizes: key=67108864 rank=67108864 count=524288
// least: bytes 67108864*8+524288*8; launches 4
#include <tangram/tangram.h>

__spectrum void ranks(const Array<1, unsigned> key, Array<1, unsigned> count, Array<1, unsigned> rank)
    __requires(rank.size() == key.size());

__codelet void ranks(const Array<1, unsigned> key, Array<1, unsigned> count, Array<1, unsigned> rank) {
  size_t n = key.size(), buckets = count.size();
  for (size_t b = 0; b < buckets; ++b) count[b] = 0;
  for (size_t i = 0; i < n; ++i) count[key[i]]++;
  for (size_t b = 1; b < buckets; ++b) count[b] += count[b - 1];
  for (size_t i = n; i > 0; --i) rank[i - 1] = --count[key[i - 1]];
}
