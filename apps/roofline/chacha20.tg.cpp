// ChaCha20: a text encrypted by a stream of blocks of 16 words, each of a counter, a key and a nonce.
// sizes: text=134217728
// least: bytes 134217728*8; operations 134217728/16*(80*12+32); launches 1
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void chacha20(uint32_t counter, const Array<1, uint32_t> key, const Array<1, uint32_t> nonce,
                         const Array<1, uint32_t> text, Array<1, uint32_t> out)
    __requires(key.size() == 8 && nonce.size() == 3 && text.size() % 16 == 0 && out.size() == text.size());

uint32_t turn(uint32_t x, int n) { return x << n | x >> (32 - n); }

void quarter(uint32_t &a, uint32_t &b, uint32_t &c, uint32_t &d) {
  a += b, d = turn(d ^ a, 16);
  c += d, b = turn(b ^ c, 12);
  a += b, d = turn(d ^ a, 8);
  c += d, b = turn(b ^ c, 7);
}

__codelet void chacha20(uint32_t counter, const Array<1, uint32_t> key, const Array<1, uint32_t> nonce,
                        const Array<1, uint32_t> text, Array<1, uint32_t> out) {
  for (size_t b = 0; b < text.size() / 16; ++b) {
    uint32_t s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, x[16];
    for (int i = 0; i < 8; ++i) s[4 + i] = key[i];
    s[12] = counter + b;
    for (int i = 0; i < 3; ++i) s[13 + i] = nonce[i];
    for (int i = 0; i < 16; ++i) x[i] = s[i];
    for (int round = 0; round < 10; ++round) {
      for (int i = 0; i < 4; ++i) quarter(x[i], x[4 + i], x[8 + i], x[12 + i]);
      for (int i = 0; i < 4; ++i) quarter(x[i], x[4 + (i + 1) % 4], x[8 + (i + 2) % 4], x[12 + (i + 3) % 4]);
    }
    for (int i = 0; i < 16; ++i) out[16 * b + i] = text[16 * b + i] ^ (x[i] + s[i]);
  }
}
