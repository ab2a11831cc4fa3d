// The loss of an RNN transducer: log sums over all alignments of frames and labels, of utterances of different lengths.
// sizes: blank=64x1024x256 emit=64x1024x256 frames=64 labels=64 alpha=64x1024x256 loss=64
// least: bytes 64*1024*256*12; operations 64*1024*256*30; launches 1
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

static float logadd(float a, float b) {
  float hi = std::max(a, b), lo = std::min(a, b);
  return hi + std::log1p(std::exp(lo - hi));
}

__spectrum void rnnt(const Array<3, float> blank, const Array<3, float> emit, const Array<1, int> frames,
                     const Array<1, int> labels, Array<3, float> alpha, Array<1, float> loss)
    __requires(emit.size(0) == blank.size(0) && emit.size(1) == blank.size(1) && emit.size(2) == blank.size(2))
        __requires(alpha.size(0) == blank.size(0) && alpha.size(1) == blank.size(1) && alpha.size(2) == blank.size(2))
            __requires(frames.size() == blank.size(0) && labels.size() == blank.size(0) && loss.size() == blank.size(0));

__codelet void rnnt(const Array<3, float> blank, const Array<3, float> emit, const Array<1, int> frames,
                    const Array<1, int> labels, Array<3, float> alpha, Array<1, float> loss) {
  for (size_t b = 0; b < blank.size(0); ++b) {
    int T = std::clamp(frames[b], 1, (int)blank.size(1)), U = std::clamp(labels[b], 0, (int)blank.size(2) - 1);
    for (int t = 0; t < T; ++t)
      for (int u = 0; u <= U; ++u) {
        float a = 0;
        if (t == 0 && u > 0)
          a = alpha[b][0][u - 1] + emit[b][0][u - 1];
        else if (t > 0 && u == 0)
          a = alpha[b][t - 1][0] + blank[b][t - 1][0];
        else if (t > 0)
          a = logadd(alpha[b][t - 1][u] + blank[b][t - 1][u], alpha[b][t][u - 1] + emit[b][t][u - 1]);
        alpha[b][t][u] = a;
      }
    loss[b] = -(alpha[b][T - 1][U] + blank[b][T - 1][U]);
  }
}
