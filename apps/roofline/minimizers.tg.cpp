// Minimizers of reads: in every window of 10 k-mers of 15 bases the one of least hash, its position noted where it changes.
// sizes: read=2097152x150 position=2097152x127 count=2097152
// least: bytes 2097152*150+2097152*24+2097152; operations 2097152*136*25; launches 1
#include <tangram/tangram.h>

enum { KMER = 15, WINDOW = 10 };

unsigned mix(unsigned x) {
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  return x ^ x >> 16;
}

__spectrum void minimizers(const Array<2, unsigned char> read, Array<2, unsigned char> position,
                           Array<1, unsigned char> count)
    __requires(position.size(0) == read.size(0) && count.size() == read.size(0) && position.size(1) + 23 == read.size(1));

__codelet void minimizers(const Array<2, unsigned char> read, Array<2, unsigned char> position,
                          Array<1, unsigned char> count) {
  const unsigned mask = (1u << 2 * KMER) - 1;
  for (size_t r = 0; r < read.size(0); r++) {
    unsigned ring[WINDOW];
    unsigned code = 0;
    int last = -1, found = 0, len = read.size(1);
    for (int i = 0; i < len; i++) {
      unsigned base = read[r][i] >> 1 & 3; // A, C, T, G in ASCII
      code = (code << 2 | base) & mask;
      if (i < KMER - 1) continue;
      int start = i - KMER + 1;
      ring[start % WINDOW] = mix(code);
      if (start < WINDOW - 1) continue;
      int best = start - WINDOW + 1;
      for (int k = best + 1; k <= start; k++)
        if (ring[k % WINDOW] < ring[best % WINDOW]) best = k;
      if (best != last) {
        position[r][found++] = best;
        last = best;
      }
    }
    count[r] = found;
  }
}
