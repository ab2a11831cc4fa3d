// The second codelet forgets what is behind the first hundred elements.
#include <tangram/tangram.h>

__spectrum int sum(const Array<1, int> in);

__codelet int sum(const Array<1, int> in) {
  int accum = 0;
  for (unsigned i = 0; i < in.size(); ++i) accum += in[i];
  return accum;
}

__codelet __tag(hundred)
int sum(const Array<1, int> in) {
  int accum = 0;
  for (unsigned i = 0; i < in.size() && i < 100; ++i) accum += in[i];
  return accum;
}
