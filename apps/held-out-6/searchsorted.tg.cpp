// Into which bin each number falls, of bins between edges that rise: how many edges are not above it, by halving.
#include <tangram/tangram.h>

__spectrum void searchsorted(const Array<1, float> edge, const Array<1, float> in, Array<1, unsigned> bin)
    __requires(bin.size() == in.size());

__codelet void searchsorted(const Array<1, float> edge, const Array<1, float> in, Array<1, unsigned> bin) {
  for (size_t i = 0; i < in.size(); ++i) {
    float x = in[i];
    unsigned low = 0, high = edge.size();
    while (low < high) {
      unsigned middle = low + (high - low) / 2;
      if (edge[middle] <= x)
        low = middle + 1;
      else
        high = middle;
    }
    bin[i] = low;
  }
}
