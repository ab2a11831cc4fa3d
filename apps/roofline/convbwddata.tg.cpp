// The gradient of a convolution by its input: strides and padding, gathered from where each point went.
// sizes: dy=64x256x28x28 w=256x128x3x3 dx=64x128x56x56 stride=2 pad=1
// least: bytes 64*256*28*28*4+64*128*56*56*4; operations 64*256*28*28*128*9*2
#include <tangram/tangram.h>

__spectrum void convbwddata(int stride, int pad, const Array<4, float> dy, const Array<4, float> w, Array<4, float> dx)
    __requires(dy.size(0) == dx.size(0) && w.size(0) == dy.size(1) && w.size(1) == dx.size(1) && stride > 0);

__codelet void convbwddata(int stride, int pad, const Array<4, float> dy, const Array<4, float> w, Array<4, float> dx) {
  int n = dx.size(0), c = dx.size(1), height = dx.size(2), width = dx.size(3);
  int k = dy.size(1), oh = dy.size(2), ow = dy.size(3), kh = w.size(2), kw = w.size(3);
  for (int b = 0; b < n; ++b)
    for (int ci = 0; ci < c; ++ci)
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
          float sum = 0;
          for (int r = 0; r < kh; ++r) {
            int oy = y + pad - r;
            if (oy < 0 || oy % stride != 0) continue;
            oy /= stride;
            if (oy >= oh) continue;
            for (int s = 0; s < kw; ++s) {
              int ox = x + pad - s;
              if (ox < 0 || ox % stride != 0) continue;
              ox /= stride;
              if (ox >= ow) continue;
              for (int ko = 0; ko < k; ++ko) sum += dy[b][ko][oy][ox] * w[ko][ci][r][s];
            }
          }
          dx[b][ci][y][x] = sum;
        }
}
