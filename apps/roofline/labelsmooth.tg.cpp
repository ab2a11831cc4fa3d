// Cross entropy with smoothed labels and an ignored index: the mean loss and the gradient by the logits.
// sizes: logits=8192x32000
// least: bytes 8192*32000*8; operations 8192*32000*10; launches 2
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

__spectrum float labelsmooth(float eps, int ignore, const Array<2, float> logits, const Array<1, int> label,
                             Array<2, float> grad)
    __requires(label.size() == logits.size(0) && grad.size(0) == logits.size(0) && grad.size(1) == logits.size(1) &&
               logits.size(1) > 0);

__codelet float labelsmooth(float eps, int ignore, const Array<2, float> logits, const Array<1, int> label,
                            Array<2, float> grad) {
  int n = logits.size(0), classes = logits.size(1), used = 0;
  float loss = 0;
  for (int i = 0; i < n; ++i) {
    if (label[i] == ignore) {
      for (int c = 0; c < classes; ++c) grad[i][c] = 0;
      continue;
    }
    float most = logits[i][0];
    for (int c = 1; c < classes; ++c) most = std::max(most, logits[i][c]);
    float total = 0, sum = 0;
    for (int c = 0; c < classes; ++c) {
      total += std::exp(logits[i][c] - most);
      sum += logits[i][c];
    }
    float logz = most + std::log(total), target = 0;
    for (int c = 0; c < classes; ++c) {
      float want = eps / classes + (c == label[i] ? 1 - eps : 0);
      if (c == label[i]) target = logits[i][c];
      grad[i][c] = std::exp(logits[i][c] - logz) - want;
    }
    loss += logz - (1 - eps) * target - eps * sum / classes;
    ++used;
  }
  return used > 0 ? loss / used : 0;
}
