// How alike two pictures' features (channels first) are, displaced by up to 4 points in each direction, as for optical
// flow: means of products of channels; what is displaced to outside counts as zero.
#include <tangram/tangram.h>

__spectrum void costvolume(const Array<3, float> first, const Array<3, float> second, Array<4, float> cost)
    __requires(first.size(0) == second.size(0) && first.size(1) == second.size(1) && first.size(2) == second.size(2))
        __requires(cost.size(0) == 9 && cost.size(1) == 9)
            __requires(cost.size(2) == first.size(1) && cost.size(3) == first.size(2));

__codelet void costvolume(const Array<3, float> first, const Array<3, float> second, Array<4, float> cost) {
  int channels = first.size(0), height = first.size(1), width = first.size(2);
  for (int dy = 0; dy < 9; ++dy)
    for (int dx = 0; dx < 9; ++dx)
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
          int i = y + dy - 4, j = x + dx - 4;
          float sum = 0;
          if (i >= 0 && i < height && j >= 0 && j < width)
            for (int c = 0; c < channels; ++c) sum += first[c][y][x] * second[c][i][j];
          cost[dy][dx][y][x] = sum / channels;
        }
}
