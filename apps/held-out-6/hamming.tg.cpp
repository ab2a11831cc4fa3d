// How many bits differ, of each pair of a query and an entry (binary descriptors, hashes of documents).
#include <tangram/tangram.h>

__spectrum void hamming(const Array<2, unsigned> query, const Array<2, unsigned> entry, Array<2, unsigned> distance)
    __requires(entry.size(1) == query.size(1))
        __requires(distance.size(0) == query.size(0) && distance.size(1) == entry.size(0));

unsigned bits_of(unsigned x) {
  x -= x >> 1 & 0x55555555;
  x = (x & 0x33333333) + (x >> 2 & 0x33333333);
  return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

__codelet void hamming(const Array<2, unsigned> query, const Array<2, unsigned> entry, Array<2, unsigned> distance) {
  for (size_t i = 0; i < query.size(0); ++i)
    for (size_t j = 0; j < entry.size(0); ++j) {
      unsigned bits = 0;
      for (size_t w = 0; w < query.size(1); ++w) bits += bits_of(query[i][w] ^ entry[j][w]);
      distance[i][j] = bits;
    }
}
