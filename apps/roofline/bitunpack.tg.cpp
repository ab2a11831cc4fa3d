// Numbers unpacked from blocks of 128 deltas with a width of bits for each block, and summed up from a first value.
// sizes: packed=33554432 width=1048576 out=134217728
// least: bytes 33554432*4+134217728*4+1048576*12; operations 134217728*8; launches 1
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void bitunpack(const Array<1, uint32_t> packed, const Array<1, uint8_t> width, const Array<1, int> start,
                          const Array<1, int> first, Array<1, int> out)
    __requires(start.size() == width.size() && first.size() == width.size() && out.size() == width.size() * 128);

__codelet void bitunpack(const Array<1, uint32_t> packed, const Array<1, uint8_t> width, const Array<1, int> start,
                         const Array<1, int> first, Array<1, int> out) {
  for (size_t b = 0; b < width.size(); ++b) {
    int value = first[b], bits = width[b], place = 0;
    uint32_t mask = bits == 32 ? 0xffffffffu : (1u << bits) - 1;
    for (int i = 0; i < 128; ++i) {
      int word = start[b] + place / 32, shift = place % 32;
      uint32_t delta = bits == 0 ? 0 : packed[word] >> shift;
      if (shift + bits > 32) delta |= packed[word + 1] << (32 - shift);
      value += int(delta & mask);
      out[b * 128 + i] = value;
      place += bits;
    }
  }
}
