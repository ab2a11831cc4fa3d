// WHERE comment LIKE '%pattern%': rows of a column of strings that contain a pattern, and how many.
// sizes: chars=536870912 offset=16777217 pattern=8 match=16777216
// least: bytes 536870912+16777217*4+16777216; operations 536870912*3; launches 1
#include <tangram/tangram.h>

__spectrum unsigned likematch(const Array<1, unsigned char> chars, const Array<1, unsigned> offset,
                              const Array<1, unsigned char> pattern, Array<1, bool> match)
    __requires(offset.size() == match.size() + 1);

__codelet unsigned likematch(const Array<1, unsigned char> chars, const Array<1, unsigned> offset,
                             const Array<1, unsigned char> pattern, Array<1, bool> match) {
  const unsigned m = pattern.size();
  unsigned hits = 0;
  for (unsigned row = 0; row < match.size(); row++) {
    unsigned begin = offset[row], end = offset[row + 1];
    bool found = false;
    for (unsigned at = begin; !found && at + m <= end; at++) {
      unsigned k = 0;
      while (k < m && chars[at + k] == pattern[k]) k++;
      found = k == m;
    }
    match[row] = found;
    if (found) hits++;
  }
  return hits;
}
