// Greedy non-maximum suppression of boxes that are sorted by score.
// sizes: box=16384x4
// least: bytes 16384*20; operations 16384*16384/2*15; launches 1000
#include <algorithm>
#include <tangram/tangram.h>

__spectrum unsigned nms(float threshold, const Array<2, float> box, Array<1, unsigned char> keep)
    __requires(box.size(1) == 4 && keep.size() == box.size(0));

__codelet unsigned nms(float threshold, const Array<2, float> box, Array<1, unsigned char> keep) {
  int n = box.size(0);
  unsigned kept = 0;
  for (int i = 0; i < n; ++i) keep[i] = 1;
  for (int i = 0; i < n; ++i) {
    if (!keep[i]) continue;
    ++kept;
    float area = (box[i][2] - box[i][0]) * (box[i][3] - box[i][1]);
    for (int j = i + 1; j < n; ++j) {
      float w = std::min(box[i][2], box[j][2]) - std::max(box[i][0], box[j][0]);
      float h = std::min(box[i][3], box[j][3]) - std::max(box[i][1], box[j][1]);
      float inter = std::max(w, 0.0f) * std::max(h, 0.0f);
      float other = (box[j][2] - box[j][0]) * (box[j][3] - box[j][1]);
      if (inter > threshold * (area + other - inter)) keep[j] = 0;
    }
  }
  return kept;
}
