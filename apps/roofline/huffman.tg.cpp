// Huffman coding of bytes by given codes: bits packed into words.
// sizes: in=67108864 out=50331648 code=256
// least: bytes 67108864*1+50331648*4; launches 3
#include <tangram/tangram.h>

__spectrum unsigned long long huffman(const Array<1, unsigned char> in, const Array<1, unsigned> code,
                                      const Array<1, unsigned> length, Array<1, unsigned> out)
    __requires(code.size() == 256 && length.size() == 256 && out.size() == in.size() + 1);

__codelet unsigned long long huffman(const Array<1, unsigned char> in, const Array<1, unsigned> code,
                                     const Array<1, unsigned> length, Array<1, unsigned> out) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = 0;
  unsigned long long at = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    unsigned bits = length[in[i]] & 31, c = code[in[i]];
    unsigned word = at / 32, shift = at % 32;
    out[word] |= c << shift;
    if (shift + bits > 32) out[word + 1] |= c >> (32 - shift);
    at += bits;
  }
  return at;
}
