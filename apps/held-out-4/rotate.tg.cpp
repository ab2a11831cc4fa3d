// A picture turned around its middle, between four points bilinear; outside of it all is zero.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void rotate(float cosine, float sine, const Array<2, float> in, Array<2, float> out)
    __requires(in.size(0) == out.size(0) && in.size(1) == out.size(1));

__codelet void rotate(float cosine, float sine, const Array<2, float> in, Array<2, float> out) {
  int height = in.size(0), width = in.size(1);
  float middleX = 0.5f * (width - 1), middleY = 0.5f * (height - 1);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      float dx = x - middleX, dy = y - middleY;
      float fromX = cosine * dx + sine * dy + middleX, fromY = cosine * dy - sine * dx + middleY;
      int left = int(std::floor(fromX)), top = int(std::floor(fromY));
      float right = fromX - left, down = fromY - top;
      float sum = 0;
      for (int r = 0; r < 2; ++r)
        for (int s = 0; s < 2; ++s) {
          int i = top + r, j = left + s;
          if (i >= 0 && i < height && j >= 0 && j < width)
            sum += (r == 1 ? down : 1 - down) * (s == 1 ? right : 1 - right) * in[i][j];
        }
      out[y][x] = sum;
    }
}
