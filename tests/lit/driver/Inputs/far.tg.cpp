// Leaves the container from the second element on.
#include <tangram/tangram.h>

__spectrum void far(Array<1, int> out);

__codelet void far(Array<1, int> out) {
  for (size_t i = 0; i < out.size(); ++i)
    out[i * 100000000000] = 1;
}
