// Bytes as text: each three as four letters of 64, the rest filled up by '='.
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void base64(const Array<1, uint8_t> in, Array<1, uint8_t> out)
    __requires(out.size() == (in.size() + 2) / 3 * 4);

const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

__codelet void base64(const Array<1, uint8_t> in, Array<1, uint8_t> out) {
  size_t whole = in.size() / 3, rest = in.size() % 3;
  for (size_t i = 0; i < whole; ++i) {
    unsigned bits = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    out[4 * i] = digits[bits >> 18];
    out[4 * i + 1] = digits[bits >> 12 & 63];
    out[4 * i + 2] = digits[bits >> 6 & 63];
    out[4 * i + 3] = digits[bits & 63];
  }
  if (rest > 0) {
    unsigned bits = in[3 * whole] << 16;
    if (rest == 2) bits |= in[3 * whole + 1] << 8;
    out[4 * whole] = digits[bits >> 18];
    out[4 * whole + 1] = digits[bits >> 12 & 63];
    out[4 * whole + 2] = rest == 2 ? digits[bits >> 6 & 63] : '=';
    out[4 * whole + 3] = '=';
  }
}
