// Whether lines of text are right UTF-8, and how many letters each has: -1 where one is not.
// sizes: text=536870912 start=8388609
// least: bytes 536870912+8388608*8; operations 536870912*4; launches 1
#include <cstdint>
#include <tangram/tangram.h>

__spectrum int utf8valid(const Array<1, uint8_t> text, const Array<1, int> start, Array<1, int> letters)
    __requires(start.size() == letters.size() + 1);

__codelet int utf8valid(const Array<1, uint8_t> text, const Array<1, int> start, Array<1, int> letters) {
  int wrong = 0;
  for (size_t l = 0; l < letters.size(); ++l) {
    int i = start[l], end = start[l + 1], count = 0;
    bool good = true;
    while (good && i < end) {
      uint8_t c = text[i];
      int more = c < 0x80 ? 0 : c >= 0xc2 && c < 0xe0 ? 1 : c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xf0 && c < 0xf5 ? 3 : -1;
      if (more < 0 || i + more >= end) {
        good = false;
        break;
      }
      for (int k = 1; k <= more; ++k)
        if ((text[i + k] & 0xc0) != 0x80) good = false;
      if (c == 0xe0 && more == 2 && text[i + 1] < 0xa0) good = false;
      i += more + 1;
      ++count;
    }
    letters[l] = good ? count : -1;
    if (!good) ++wrong;
  }
  return wrong;
}
