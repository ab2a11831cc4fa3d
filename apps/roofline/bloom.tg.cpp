// A Bloom filter: keys put in, others asked for, hits collected.
// sizes: key=16777216 bits=8388608 query=67108864 hit=67108864
// least: bytes 16777216*4+67108864*8+8388608*4; launches 3
#include <tangram/tangram.h>

unsigned mix(unsigned k, unsigned seed) {
  k = (k ^ seed) * 0x85EBCA6Bu;
  k = (k ^ k >> 13) * 0xC2B2AE35u;
  return k ^ k >> 16;
}
__spectrum unsigned bloom(const Array<1, unsigned> key, const Array<1, unsigned> query, Array<1, unsigned> bits,
                          Array<1, unsigned> hit) __requires(hit.size() == query.size() && bits.size() > 0);

__codelet unsigned bloom(const Array<1, unsigned> key, const Array<1, unsigned> query, Array<1, unsigned> bits,
                         Array<1, unsigned> hit) {
  for (size_t w = 0; w < bits.size(); ++w) bits[w] = 0;
  for (size_t i = 0; i < key.size(); ++i)
    for (unsigned h = 0; h < 4; ++h) {
      unsigned b = mix(key[i], h * 77);
      bits[b / 32 % bits.size()] |= 1u << (b & 31);
    }
  unsigned hits = 0;
  for (size_t i = 0; i < query.size(); ++i) {
    bool in = true;
    for (unsigned h = 0; h < 4 && in; ++h) {
      unsigned b = mix(query[i], h * 77);
      if (!(bits[b / 32 % bits.size()] >> (b & 31) & 1)) in = false;
    }
    if (in) hit[hits++] = query[i];
  }
  return hits;
}
