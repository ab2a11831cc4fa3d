// Run-length encoding: values of runs and their lengths.
// sizes: in=67108864
// least: bytes 67108864*12; launches 2
#include <tangram/tangram.h>

__spectrum unsigned rle(const Array<1, int> in, Array<1, int> value, Array<1, unsigned> length)
    __requires(value.size() == in.size() && length.size() == in.size());

__codelet unsigned rle(const Array<1, int> in, Array<1, int> value, Array<1, unsigned> length) {
  unsigned runs = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    if (i > 0 && in[i] == in[i - 1])
      length[runs - 1]++;
    else {
      value[runs] = in[i];
      length[runs] = 1;
      ++runs;
    }
  }
  return runs;
}
