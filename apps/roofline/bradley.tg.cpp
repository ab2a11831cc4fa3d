// Adaptive thresholds for scanned pages (Bradley and Roth): each pixel against the mean of its window, by an integral image.
// sizes: page=67108864 ink=67108864 width=8192 height=8192
// least: bytes 67108864*2; operations 67108864*12; launches 1
#include <algorithm>
#include <tangram/tangram.h>

__spectrum void bradley(int width, int height, const Array<1, unsigned char> page, Array<1, unsigned char> ink)
    __requires(page.size() == width * height && ink.size() == page.size());

__codelet void bradley(int width, int height, const Array<1, unsigned char> page, Array<1, unsigned char> ink) {
  Array<1, unsigned> integral(page.size());
  for (int x = 0; x < width; x++) {
    unsigned sum = 0;
    for (int y = 0; y < height; y++) {
      int at = y * width + x;
      sum += page[at];
      if (x == 0)
        integral[at] = sum;
      else
        integral[at] = integral[at - 1] + sum;
    }
  }
  const int half = width / 16;
  for (int x = 0; x < width; x++)
    for (int y = 0; y < height; y++) {
      int x1 = std::max(x - half, 1), x2 = std::min(x + half, width - 1);
      int y1 = std::max(y - half, 1), y2 = std::min(y + half, height - 1);
      int count = (x2 - x1) * (y2 - y1);
      unsigned sum = integral[y2 * width + x2] - integral[(y1 - 1) * width + x2] - integral[y2 * width + x1 - 1] +
                     integral[(y1 - 1) * width + x1 - 1];
      int at = y * width + x;
      if ((unsigned long long)page[at] * count <= (unsigned long long)sum * 85 / 100)
        ink[at] = 0;
      else
        ink[at] = 255;
    }
}
