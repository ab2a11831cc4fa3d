#include <tangram/tangram.h>

// Each number follows from the one before: no loop over them is parallel, and the variable that a call of next() leaves
// behind in the loop makes none.
struct Generator {
  unsigned state = 7;
  unsigned next() {
    state ^= state << 13;
    return state ^= state >> 17;
  }
};
__spectrum void noise(Array<1, unsigned> out);
__codelet void noise(Array<1, unsigned> out) {
  Generator g;
  for (size_t i = 0; i < out.size(); ++i) out[i] = g.next();
}
