// Running sums that start again at flags, and the number of segments.
// sizes: x=67108864
// least: bytes 67108864*9; operations 67108864
#include <tangram/tangram.h>

__spectrum unsigned segsum(const Array<1, float> x, const Array<1, unsigned char> flag, Array<1, float> y)
    __requires(flag.size() == x.size() && y.size() == x.size());

__codelet unsigned segsum(const Array<1, float> x, const Array<1, unsigned char> flag, Array<1, float> y) {
  float sum = 0;
  unsigned segments = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (flag[i]) {
      sum = 0;
      ++segments;
    }
    sum += x[i];
    y[i] = sum;
  }
  return segments;
}
