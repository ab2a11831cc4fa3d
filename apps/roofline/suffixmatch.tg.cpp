// MUMmer: where each suffix of queries is in a suffix array, and how long it matches.
// sizes: text=16777216 query=1048576x64 length=1048576 suffix=16777216
// least: bytes 1048576*64+16777216*5
#include <algorithm>
#include <tangram/tangram.h>

__spectrum void suffixmatch(const Array<1, unsigned char> text, const Array<1, unsigned> suffix,
                            const Array<2, unsigned char> query, Array<1, unsigned> where, Array<1, unsigned> length)
    __requires(suffix.size() == text.size() && where.size() == query.size(0) && length.size() == query.size(0));

__codelet void suffixmatch(const Array<1, unsigned char> text, const Array<1, unsigned> suffix,
                           const Array<2, unsigned char> query, Array<1, unsigned> where, Array<1, unsigned> length) {
  for (size_t q = 0; q < query.size(0); ++q) {
    size_t low = 0, high = suffix.size();
    unsigned best = 0, at = 0;
    while (low < high) {
      size_t middle = low + (high - low) / 2;
      unsigned s = suffix[middle], k = 0;
      while (k < query.size(1) && s + k < text.size() && text[s + k] == query[q][k]) ++k;
      if (k > best) {
        best = k;
        at = s;
      }
      if (k == query.size(1)) break;
      if (s + k >= text.size() || text[s + k] < query[q][k])
        low = middle + 1;
      else
        high = middle;
    }
    where[q] = at;
    length[q] = best;
  }
}
