// The loss of connectionist temporal classification (CTC): forward probabilities over labels with blanks between them,
// in logarithms, for each utterance of a batch.
// sizes: logp=1024x512x128 label=512x120
// least: bytes 1024*512*128*4; operations 512*1024*241*15; launches 1
#include <algorithm>
#include <cmath>
#include <limits>
#include <tangram/tangram.h>

__spectrum void ctcloss(int blank, const Array<3, float> logp, const Array<2, int> label, const Array<1, int> frames,
                        const Array<1, int> letters, Array<1, float> loss)
    __requires(label.size(0) == logp.size(1) && frames.size() == logp.size(1) && letters.size() == logp.size(1) &&
               loss.size() == logp.size(1) && label.size(1) > 0);

float logadd(float a, float b) {
  if (a < b) std::swap(a, b);
  if (b == -std::numeric_limits<float>::infinity()) return a;
  return a + std::log1p(std::exp(b - a));
}

__codelet void ctcloss(int blank, const Array<3, float> logp, const Array<2, int> label, const Array<1, int> frames,
                       const Array<1, int> letters, Array<1, float> loss) {
  int batch = logp.size(1), states = 2 * label.size(1) + 1;
  const float none = -std::numeric_limits<float>::infinity();
  for (int b = 0; b < batch; ++b) {
    Array<1, float> alpha(states), next(states);
    int last = 2 * letters[b] + 1;
    for (int s = 0; s < last; ++s) alpha[s] = none;
    alpha[0] = logp[0][b][blank];
    if (last > 1) alpha[1] = logp[0][b][label[b][0]];
    for (int t = 1; t < frames[b]; ++t) {
      for (int s = 0; s < last; ++s) {
        int letter = s % 2 == 0 ? blank : label[b][s / 2];
        float sum = alpha[s];
        if (s >= 1) sum = logadd(sum, alpha[s - 1]);
        if (s >= 3 && s % 2 == 1 && label[b][s / 2] != label[b][s / 2 - 1]) sum = logadd(sum, alpha[s - 2]);
        next[s] = sum + logp[t][b][letter];
      }
      for (int s = 0; s < last; ++s) alpha[s] = next[s];
    }
    float end = alpha[last - 1];
    if (last > 1) end = logadd(end, alpha[last - 2]);
    loss[b] = -end;
  }
}
