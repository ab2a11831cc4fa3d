// The Hough transform: each bright point of a picture votes for the lines through it, of some angles. Cosines and sines
// are fixed-point numbers of 14 bits behind the point, so distances are whole.
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void hough(int threshold, const Array<2, uint8_t> in, const Array<1, int> cosine, const Array<1, int> sine,
                      Array<2, int> votes)
    __requires(sine.size() == cosine.size() && votes.size(0) == cosine.size())
        __requires(votes.size(1) == 2 * (in.size(0) + in.size(1)));

__codelet void hough(int threshold, const Array<2, uint8_t> in, const Array<1, int> cosine, const Array<1, int> sine,
                     Array<2, int> votes) {
  int height = in.size(0), width = in.size(1), angles = cosine.size();
  for (int a = 0; a < angles; ++a)
    for (int r = 0; r < 2 * (height + width); ++r) votes[a][r] = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      if (in[y][x] > threshold)
        for (int a = 0; a < angles; ++a) {
          int distance = (x * cosine[a] + y * sine[a]) >> 14;
          votes[a][distance + height + width] += 1;
        }
}
