// A step of beam search: of all beams and words of a sentence the best eight, kept sorted.
// sizes: logp=256x8x32000
// least: bytes 256*8*32000*4; operations 256*8*32000*2
#include <tangram/tangram.h>

constexpr int BEAMS = 8;
__spectrum void
beam(const Array<3, float> logp, const Array<2, float> score, Array<2, float> best, Array<2, unsigned> from,
     Array<2, unsigned> word) __requires(logp.size(1) == 8 && score.size(0) == logp.size(0) && score.size(1) == 8 &&
                                         best.size(0) == logp.size(0) && best.size(1) == 8)
    __requires(from.size(0) == logp.size(0) && from.size(1) == 8 && word.size(0) == logp.size(0) && word.size(1) == 8);

__codelet void beam(const Array<3, float> logp, const Array<2, float> score, Array<2, float> best,
                    Array<2, unsigned> from, Array<2, unsigned> word) {
  for (size_t s = 0; s < logp.size(0); ++s) {
    float top[BEAMS];
    unsigned tb[BEAMS], tw[BEAMS];
    for (int k = 0; k < BEAMS; ++k) {
      top[k] = -1e30f;
      tb[k] = 0;
      tw[k] = 0;
    }
    for (size_t b = 0; b < BEAMS; ++b)
      for (size_t w = 0; w < logp.size(2); ++w) {
        float v = score[s][b] + logp[s][b][w];
        if (v <= top[BEAMS - 1]) continue;
        int k = BEAMS - 1;
        while (k > 0 && top[k - 1] < v) {
          top[k] = top[k - 1];
          tb[k] = tb[k - 1];
          tw[k] = tw[k - 1];
          --k;
        }
        top[k] = v;
        tb[k] = b;
        tw[k] = w;
      }
    for (int k = 0; k < BEAMS; ++k) {
      best[s][k] = top[k];
      from[s][k] = tb[k];
      word[s][k] = tw[k];
    }
  }
}
