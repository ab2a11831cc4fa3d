// Focal loss of a detector's anchors (RetinaNet) and its gradient: sigmoids, anchors to be ignored, normalised by how
// many anchors hit something.
// sizes: logits=1048576x80
// least: bytes 1048576*80*8+1048576*8; operations 1048576*80*40; launches 2
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

__spectrum float focalloss(float alpha, float gamma, const Array<2, float> logits, const Array<1, int> target,
                           Array<2, float> grad)
    __requires(target.size() == logits.size(0) && grad.size(0) == logits.size(0) && grad.size(1) == logits.size(1));

__codelet float focalloss(float alpha, float gamma, const Array<2, float> logits, const Array<1, int> target,
                          Array<2, float> grad) {
  int anchors = logits.size(0), classes = logits.size(1), positive = 0;
  for (int a = 0; a < anchors; ++a)
    if (target[a] >= 1) ++positive;
  float norm = 1.0f / std::max(positive, 1);
  double loss = 0;
  for (int a = 0; a < anchors; ++a) {
    if (target[a] < 0) {
      for (int c = 0; c < classes; ++c) grad[a][c] = 0;
      continue;
    }
    for (int c = 0; c < classes; ++c) {
      bool hit = target[a] == c + 1;
      float x = hit ? logits[a][c] : -logits[a][c];
      float p = 1 / (1 + std::exp(-x));
      float logp = x < 0 ? x - std::log1p(std::exp(x)) : -std::log1p(std::exp(-x));
      float weight = (hit ? alpha : 1 - alpha) * norm;
      float factor = std::pow(1 - p, gamma);
      loss -= weight * factor * logp;
      float d = weight * factor * (gamma * p * logp - (1 - p));
      grad[a][c] = hit ? d : -d;
    }
  }
  return loss;
}
