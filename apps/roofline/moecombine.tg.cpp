// A sparse mixture of experts: tokens gathered by expert, an expert's layer, and the results added up by token.
// sizes: x=4096x1024 order=8192 w=8x1024x1024 out=4096x1024 start=9
// least: bytes 4096*1024*8+8*1024*1024*4; operations 8192*1024*1024*2; launches 2
#include <tangram/tangram.h>

__spectrum void moecombine(const Array<2, float> x, const Array<1, unsigned> start, const Array<1, unsigned> order,
                           const Array<1, float> gate, const Array<3, float> w, Array<2, float> out)
    __requires(start.size() == w.size(0) + 1 && gate.size() == order.size() && w.size(1) == x.size(1) &&
               w.size(2) == x.size(1)) __requires(out.size(0) == x.size(0) && out.size(1) == x.size(1));

__codelet void moecombine(const Array<2, float> x, const Array<1, unsigned> start, const Array<1, unsigned> order,
                          const Array<1, float> gate, const Array<3, float> w, Array<2, float> out) {
  size_t experts = w.size(0), width = x.size(1);
  for (size_t t = 0; t < x.size(0); ++t)
    for (size_t d = 0; d < width; ++d) out[t][d] = 0;
  for (size_t e = 0; e < experts; ++e)
    for (unsigned s = start[e]; s < start[e + 1]; ++s)
      for (size_t d = 0; d < width; ++d) {
        float sum = 0;
        for (size_t k = 0; k < width; ++k) sum += x[order[s]][k] * w[e][d][k];
        out[order[s]][d] += gate[s] * sum;
      }
}
