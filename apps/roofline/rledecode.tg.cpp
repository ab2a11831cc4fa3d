// Run-length decoding of a column: each value as often as its count says, one after the other.
// sizes: value=16777216 count=16777216 out=268435456
// least: bytes 16777216*5+268435456*4; operations 268435456*2; launches 1
#include <tangram/tangram.h>

__spectrum unsigned rledecode(const Array<1, int> value, const Array<1, unsigned char> count, Array<1, int> out)
    __requires(count.size() == value.size());

__codelet unsigned rledecode(const Array<1, int> value, const Array<1, unsigned char> count, Array<1, int> out) {
  unsigned pos = 0, room = out.size();
  for (unsigned run = 0; run < value.size(); run++) {
    int v = value[run];
    unsigned n = count[run];
    if (n > room - pos) n = room - pos;
    while (n-- > 0) out[pos++] = v;
  }
  return pos;
}
