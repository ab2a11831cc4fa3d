// A picture, blurred by 9 weights along rows and then along columns. Beyond its edges are the pixels of the edge.
#include <algorithm>
#include <tangram/tangram.h>

__spectrum void blur(const Array<2, float> in, const Array<1, float> weights, Array<2, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1) && weights.size() == 9);

__codelet void blur(const Array<2, float> in, const Array<1, float> weights, Array<2, float> out) {
  int height = in.size(0), width = in.size(1);
  Array<2, float> t(in.size(0), in.size(1));
  for (int i = 0; i < height; ++i)
    for (int j = 0; j < width; ++j) {
      float sum = 0;
      for (int k = 0; k < 9; ++k) sum += weights[k] * in[i][std::clamp(j + k - 4, 0, width - 1)];
      t[i][j] = sum;
    }
  for (int i = 0; i < height; ++i)
    for (int j = 0; j < width; ++j) {
      float sum = 0;
      for (int k = 0; k < 9; ++k) sum += weights[k] * t[std::clamp(i + k - 4, 0, height - 1)][j];
      out[i][j] = sum;
    }
}
