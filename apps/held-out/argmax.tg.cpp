// Where the greatest number of each row stands; of equal ones, the first.
#include <limits>
#include <tangram/tangram.h>

__spectrum void argmax(const Array<2, float> in, Array<1, int> out) __requires(in.size(0) == out.size());

__codelet void argmax(const Array<2, float> in, Array<1, int> out) {
  for (size_t i = 0; i < in.size(0); ++i) {
    float most = -std::numeric_limits<float>::infinity();
    int at = 0;
    for (size_t j = 0; j < in.size(1); ++j)
      if (in[i][j] > most) {
        most = in[i][j];
        at = j;
      }
    out[i] = at;
  }
}
