// Tokens dispatched to the buffers of their two experts, each of a limited capacity; tokens that find no place are
// dropped, and counted.
// sizes: x=16384x2048 expert=16384x2 buffer=64x640x2048
// least: bytes 16384*2048*4+64*640*2048*4*2+16384*2*12; launches 3
#include <tangram/tangram.h>

__spectrum int moedispatch(const Array<2, float> x, const Array<2, int> expert, Array<3, float> buffer,
                           Array<2, int> slot, Array<1, int> used)
    __requires(expert.size(0) == x.size(0) && slot.size(0) == x.size(0) && slot.size(1) == expert.size(1))
        __requires(buffer.size(2) == x.size(1) && used.size() == buffer.size(0));

__codelet int moedispatch(const Array<2, float> x, const Array<2, int> expert, Array<3, float> buffer,
                          Array<2, int> slot, Array<1, int> used) {
  int tokens = x.size(0), width = x.size(1), choices = expert.size(1), experts = buffer.size(0),
      capacity = buffer.size(1);
  int dropped = 0;
  for (int e = 0; e < experts; ++e) used[e] = 0;
  for (int k = 0; k < choices; ++k)
    for (int t = 0; t < tokens; ++t) {
      int e = expert[t][k];
      if (used[e] == capacity) {
        slot[t][k] = -1;
        ++dropped;
      } else {
        slot[t][k] = used[e];
        used[e]++;
      }
    }
  for (int t = 0; t < tokens; ++t)
    for (int k = 0; k < choices; ++k) {
      if (slot[t][k] < 0) continue;
      for (int d = 0; d < width; ++d) buffer[expert[t][k]][slot[t][k]][d] = x[t][d];
    }
  for (int e = 0; e < experts; ++e)
    for (int s = used[e]; s < capacity; ++s)
      for (int d = 0; d < width; ++d) buffer[e][s][d] = 0;
  return dropped;
}
