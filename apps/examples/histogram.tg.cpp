// How often each byte occurs.
#include <tangram/tangram.h>

__spectrum void histogram(const Array<1, unsigned char> in, Array<1, unsigned> bins) __requires(bins.size() == 256);

__codelet void histogram(const Array<1, unsigned char> in, Array<1, unsigned> bins) {
  for (size_t b = 0; b < 256; ++b) bins[b] = 0;
  for (size_t i = 0; i < in.size(); ++i) ++bins[in[i]];
}
