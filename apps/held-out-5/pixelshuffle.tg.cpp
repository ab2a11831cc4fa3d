// Channels become points: of factor * factor channels of a picture one that is as many times larger (depth to space).
#include <tangram/tangram.h>

__spectrum void pixelshuffle(unsigned factor, const Array<4, float> in, Array<4, float> out)
    __requires(factor > 0 && in.size(0) == out.size(0) && in.size(1) == out.size(1) * factor * factor)
        __requires(out.size(2) == in.size(2) * factor && out.size(3) == in.size(3) * factor);

__codelet void pixelshuffle(unsigned factor, const Array<4, float> in, Array<4, float> out) {
  for (size_t n = 0; n < out.size(0); ++n)
    for (size_t c = 0; c < out.size(1); ++c)
      for (size_t y = 0; y < out.size(2); ++y)
        for (size_t x = 0; x < out.size(3); ++x) {
          size_t channel = (c * factor + y % factor) * factor + x % factor;
          out[n][c][y][x] = in[n][channel][y / factor][x / factor];
        }
}
