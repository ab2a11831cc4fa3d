// Normalised cross correlation of a template with a picture, and where it is best.
// sizes: image=1080x1920 patch=32x32 score=1049x1889
// least: bytes 1080*1920*8; operations 1049*1889*1024*5; launches 2
#include <cmath>
#include <tangram/tangram.h>

struct Match {
  float score;
  int y, x;
};
__spectrum Match templatematch(const Array<2, float> image, const Array<2, float> patch, Array<2, float> score)
    __requires(patch.size() > 0 && image.size(0) >= patch.size(0) && image.size(1) >= patch.size(1))
        __requires(score.size(0) == image.size(0) - patch.size(0) + 1 &&
                   score.size(1) == image.size(1) - patch.size(1) + 1);

__codelet Match templatematch(const Array<2, float> image, const Array<2, float> patch, Array<2, float> score) {
  int h = patch.size(0), w = patch.size(1);
  float mean = 0, norm = 0;
  for (int q = 0; q < h; ++q)
    for (int p = 0; p < w; ++p) mean += patch[q][p];
  mean /= h * w;
  for (int q = 0; q < h; ++q)
    for (int p = 0; p < w; ++p) norm += (patch[q][p] - mean) * (patch[q][p] - mean);
  Match best{-2, 0, 0};
  for (size_t y = 0; y < score.size(0); ++y)
    for (size_t x = 0; x < score.size(1); ++x) {
      float sum = 0, squares = 0, cross = 0;
      for (int q = 0; q < h; ++q)
        for (int p = 0; p < w; ++p) {
          float v = image[y + q][x + p];
          sum += v;
          squares += v * v;
          cross += v * (patch[q][p] - mean);
        }
      float variance = squares - sum * sum / (h * w);
      float s = variance > 0 && norm > 0 ? cross / std::sqrt(variance * norm) : 0;
      score[y][x] = s;
      if (s > best.score) best = Match{s, int(y), int(x)};
    }
  return best;
}
