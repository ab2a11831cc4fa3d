// RoI align: bilinear samples of features in boxes, averaged by bin.
// sizes: feature=2x256x200x272 roi=1000x5 out=1000x256x7x7
// least: bytes 2*256*200*272*4+1000*256*49*4; operations 1000*256*49*4*12
#include <algorithm>
#include <tangram/tangram.h>

__spectrum void roialign(float scale, const Array<4, float> feature, const Array<2, float> roi, Array<4, float> out)
    __requires(roi.size(1) == 5 && out.size(0) == roi.size(0) && out.size(1) == feature.size(1) && feature.size() > 0);

__codelet void roialign(float scale, const Array<4, float> feature, const Array<2, float> roi, Array<4, float> out) {
  int h = feature.size(2), w = feature.size(3), batch = feature.size(0), ph = out.size(2), pw = out.size(3);
  for (size_t r = 0; r < out.size(0); ++r) {
    int n = std::clamp(int(roi[r][0]), 0, batch - 1);
    float x0 = roi[r][1] * scale, y0 = roi[r][2] * scale;
    float bw = std::max(roi[r][3] * scale - x0, 1.0f) / pw, bh = std::max(roi[r][4] * scale - y0, 1.0f) / ph;
    for (size_t c = 0; c < out.size(1); ++c)
      for (int py = 0; py < ph; ++py)
        for (int px = 0; px < pw; ++px) {
          float sum = 0;
          for (int sy = 0; sy < 2; ++sy)
            for (int sx = 0; sx < 2; ++sx) {
              float y = y0 + (py + (sy + 0.5f) / 2) * bh, x = x0 + (px + (sx + 0.5f) / 2) * bw;
              if (y < -1 || y > h || x < -1 || x > w) continue;
              y = std::clamp(y, 0.0f, float(h - 1));
              x = std::clamp(x, 0.0f, float(w - 1));
              int yl = y, xl = x, yh = std::min(yl + 1, h - 1), xh = std::min(xl + 1, w - 1);
              float ly = y - yl, lx = x - xl;
              sum += (1 - ly) * ((1 - lx) * feature[n][c][yl][xl] + lx * feature[n][c][yl][xh]) +
                     ly * ((1 - lx) * feature[n][c][yh][xl] + lx * feature[n][c][yh][xh]);
            }
          out[r][c][py][px] = sum / 4;
        }
  }
}
