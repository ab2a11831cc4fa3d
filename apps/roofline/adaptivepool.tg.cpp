// Adaptive average pooling of feature maps to any size: windows may overlap and differ in size.
// sizes: in=256x512x24x24 out=256x512x7x7
// least: bytes 256*512*24*24*4+256*512*49*4; operations 256*512*24*24*2; launches 1
#include <tangram/tangram.h>

__spectrum void adaptivepool(const Array<4, float> in, Array<4, float> out)
    __requires(out.size(0) == in.size(0) && out.size(1) == in.size(1));

__codelet void adaptivepool(const Array<4, float> in, Array<4, float> out) {
  const int ih = in.size(2), iw = in.size(3), oh = out.size(2), ow = out.size(3);
  for (int n = 0; n < (int)in.size(0); n++)
    for (int c = 0; c < (int)in.size(1); c++)
      for (int i = 0; i < oh; i++) {
        int y0 = i * ih / oh, y1 = ((i + 1) * ih + oh - 1) / oh;
        for (int j = 0; j < ow; j++) {
          int x0 = j * iw / ow, x1 = ((j + 1) * iw + ow - 1) / ow;
          float sum = 0;
          for (int y = y0; y < y1; y++)
            for (int x = x0; x < x1; x++) sum += in[n][c][y][x];
          out[n][c][i][j] = sum / ((y1 - y0) * (x1 - x0));
        }
      }
}
