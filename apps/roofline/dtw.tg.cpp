// Dynamic time warping of one query against many series, in a Sakoe-Chiba band, given up where it cannot be the nearest.
// sizes: query=128 series=1048576x128 distance=1048576 band=12
// least: bytes 1048576*128*4+1048576*4; operations 1048576*128*25*5; launches 1
#include <algorithm>
#include <tangram/tangram.h>

constexpr int LENGTH = 128;
constexpr float BIG = 1e30f;

__spectrum void dtw(int band, float bound, const Array<1, float> query, const Array<2, float> series,
                    Array<1, float> distance)
    __requires(query.size() == 128 && series.size(1) == 128 && distance.size() == series.size(0));

__codelet void dtw(int band, float bound, const Array<1, float> query, const Array<2, float> series,
                   Array<1, float> distance) {
  for (size_t s = 0; s < series.size(0); ++s) {
    float row[2][LENGTH + 1];
    for (int j = 0; j <= LENGTH; ++j) row[0][j] = row[1][j] = BIG;
    row[0][0] = 0;
    bool abandoned = false;
    for (int i = 1; i <= LENGTH; ++i) {
      int now = i & 1, before = 1 - now;
      int from = std::max(1, i - band), to = std::min(LENGTH, i + band);
      row[now][from - 1] = BIG;
      float least = BIG;
      for (int j = from; j <= to; ++j) {
        float d = query[i - 1] - series[s][j - 1];
        float cost = d * d + std::min(std::min(row[before][j], row[before][j - 1]), row[now][j - 1]);
        row[now][j] = cost;
        least = std::min(least, cost);
      }
      if (to < LENGTH) row[now][to + 1] = BIG;
      if (least > bound) {
        abandoned = true;
        break;
      }
    }
    distance[s] = abandoned ? BIG : row[LENGTH & 1][LENGTH];
  }
}
