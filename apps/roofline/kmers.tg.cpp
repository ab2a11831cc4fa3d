// Canonical k-mers of reads of DNA counted in a table, with a rolling code that starts again at unknown bases.
// sizes: read=1048576x150 count=16777216
// least: bytes 1048576*150+16777216*4; launches 2
#include <algorithm>
#include <tangram/tangram.h>

__spectrum void kmers(const Array<2, unsigned char> read, Array<1, unsigned> count) __requires(count.size() > 0);

__codelet void kmers(const Array<2, unsigned char> read, Array<1, unsigned> count) {
  const int K = 21;
  const unsigned long long MASK = (1ull << 2 * K) - 1;
  for (size_t c = 0; c < count.size(); ++c) count[c] = 0;
  for (size_t r = 0; r < read.size(0); ++r) {
    unsigned long long forward = 0, backward = 0;
    int have = 0;
    for (size_t i = 0; i < read.size(1); ++i) {
      unsigned b = read[r][i];
      if (b > 3) {
        have = 0;
        continue;
      }
      forward = (forward << 2 | b) & MASK;
      backward = backward >> 2 | (unsigned long long)(3 - b) << 2 * (K - 1);
      if (++have >= K) {
        unsigned long long key = std::min(forward, backward);
        key = (key ^ key >> 29) * 0x9E3779B97F4A7C15ull;
        count[(key >> 20) % count.size()] += 1;
      }
    }
  }
}
