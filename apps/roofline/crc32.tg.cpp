// CRC-32 of many records, by a table that is computed first.
// sizes: data=262144x1024
// least: bytes 262144*1024
#include <tangram/tangram.h>

__spectrum void crc32(const Array<2, unsigned char> data, Array<1, unsigned> crc)
    __requires(crc.size() == data.size(0));

__codelet void crc32(const Array<2, unsigned char> data, Array<1, unsigned> crc) {
  unsigned table[256];
  for (unsigned i = 0; i < 256; ++i) {
    unsigned c = i;
    for (int k = 0; k < 8; ++k) c = c & 1 ? 0xEDB88320u ^ c >> 1 : c >> 1;
    table[i] = c;
  }
  for (size_t r = 0; r < data.size(0); ++r) {
    unsigned c = 0xFFFFFFFFu;
    for (size_t i = 0; i < data.size(1); ++i) c = table[(c ^ data[r][i]) & 255] ^ c >> 8;
    crc[r] = ~c;
  }
}
