#include <tangram/tangram.h>

__spectrum int total(const Array<1, int> in);

__codelet int total(const Array<1, int> in) {
  int sum;
  for (size_t i = 0; i < in.size(); ++i) sum += in[i];
  return sum;
}
