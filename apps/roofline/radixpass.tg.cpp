// One pass of a stable radix sort of keys with values, by 8 bits.
// sizes: key=33554432
// least: bytes 33554432*20; launches 3
#include <tangram/tangram.h>

__spectrum void radixpass(unsigned shift, const Array<1, unsigned> key, const Array<1, unsigned> value,
                          Array<1, unsigned> outkey, Array<1, unsigned> outvalue)
    __requires(value.size() == key.size() && outkey.size() == key.size() && outvalue.size() == key.size() &&
               shift < 32);

__codelet void radixpass(unsigned shift, const Array<1, unsigned> key, const Array<1, unsigned> value,
                         Array<1, unsigned> outkey, Array<1, unsigned> outvalue) {
  unsigned start[256];
  for (int d = 0; d < 256; ++d) start[d] = 0;
  for (size_t i = 0; i < key.size(); ++i) start[(key[i] >> shift) & 255]++;
  unsigned sum = 0;
  for (int d = 0; d < 256; ++d) {
    unsigned c = start[d];
    start[d] = sum;
    sum += c;
  }
  for (size_t i = 0; i < key.size(); ++i) {
    unsigned to = start[(key[i] >> shift) & 255]++;
    outkey[to] = key[i];
    outvalue[to] = value[i];
  }
}
