// Parboil sad: sums of absolute differences of 4x4 blocks for all vectors of a search window.
// sizes: current=1088x1920 out=272x480x1089
// least: bytes 272*480*1089*2+2*1088*1920; operations 272*480*1089*16*2
#include <algorithm>
#include <cmath>
#include <tangram/tangram.h>

constexpr int RANGE = 16;
__spectrum void sad(const Array<2, unsigned char> current, const Array<2, unsigned char> reference,
                    Array<3, unsigned short> out)
    __requires(reference.size(0) == current.size(0) && reference.size(1) == current.size(1))
        __requires(out.size(0) == current.size(0) / 4 && out.size(1) == current.size(1) / 4 && out.size(2) == 33 * 33);

__codelet void sad(const Array<2, unsigned char> current, const Array<2, unsigned char> reference,
                   Array<3, unsigned short> out) {
  int h = current.size(0), w = current.size(1);
  for (int by = 0; by < h / 4; ++by)
    for (int bx = 0; bx < w / 4; ++bx)
      for (int dy = -RANGE; dy <= RANGE; ++dy)
        for (int dx = -RANGE; dx <= RANGE; ++dx) {
          int sum = 0;
          for (int y = 0; y < 4; ++y)
            for (int x = 0; x < 4; ++x) {
              int ry = std::clamp(by * 4 + y + dy, 0, h - 1), rx = std::clamp(bx * 4 + x + dx, 0, w - 1);
              sum += std::abs(int(current[by * 4 + y][bx * 4 + x]) - int(reference[ry][rx]));
            }
          out[by][bx][(dy + RANGE) * (2 * RANGE + 1) + dx + RANGE] = sum;
        }
}
