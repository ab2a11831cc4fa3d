// Semi-global matching (SGM) of a pair of pictures: costs of matching added up along four ways through the picture with
// penalties for jumps, then the best disparity of each point.
// sizes: cost=1080x1920x128
// least: bytes 1080*1920*128*(1+2*4); operations 1080*1920*128*4*8; launches 5
#include <algorithm>
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void sgm(int p1, int p2, const Array<3, uint8_t> cost, Array<2, uint8_t> disparity)
    __requires(disparity.size(0) == cost.size(0) && disparity.size(1) == cost.size(1) && cost.size(2) <= 256);

// A step along a way, from the costs of the point before; what it costs is added to the sum.
void follow(int p1, int p2, const Array<1, uint8_t> cost, const Array<1, uint16_t> before, Array<1, uint16_t> now,
            Array<1, uint16_t> sum) {
  int n = cost.size(), least = 65535;
  for (int d = 0; d < n; ++d) least = std::min(least, int(before[d]));
  for (int d = 0; d < n; ++d) {
    int best = std::min(int(before[d]), least + p2);
    if (d > 0) best = std::min(best, before[d - 1] + p1);
    if (d + 1 < n) best = std::min(best, before[d + 1] + p1);
    now[d] = cost[d] + best - least;
    sum[d] += now[d];
  }
}

__codelet void sgm(int p1, int p2, const Array<3, uint8_t> cost, Array<2, uint8_t> disparity) {
  int rows = cost.size(0), columns = cost.size(1), n = cost.size(2);
  Array<3, uint16_t> way(rows, columns, n), sum(rows, columns, n);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      for (int d = 0; d < n; ++d) {
        sum[y][x][d] = 0;
        way[y][x][d] = cost[y][x][d];
      }
  for (int y = 0; y < rows; ++y)
    for (int x = 1; x < columns; ++x) follow(p1, p2, cost[y][x], way[y][x - 1], way[y][x], sum[y][x]);
  for (int y = 0; y < rows; ++y) {
    for (int d = 0; d < n; ++d) way[y][columns - 1][d] = cost[y][columns - 1][d];
    for (int x = columns - 2; x >= 0; --x) follow(p1, p2, cost[y][x], way[y][x + 1], way[y][x], sum[y][x]);
  }
  for (int x = 0; x < columns; ++x) {
    for (int d = 0; d < n; ++d) way[0][x][d] = cost[0][x][d];
    for (int y = 1; y < rows; ++y) follow(p1, p2, cost[y][x], way[y - 1][x], way[y][x], sum[y][x]);
  }
  for (int x = 0; x < columns; ++x) {
    for (int d = 0; d < n; ++d) way[rows - 1][x][d] = cost[rows - 1][x][d];
    for (int y = rows - 2; y >= 0; --y) follow(p1, p2, cost[y][x], way[y + 1][x], way[y][x], sum[y][x]);
  }
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      int best = 0;
      for (int d = 1; d < n; ++d)
        if (sum[y][x][d] < sum[y][x][best]) best = d;
      disparity[y][x] = best;
    }
}
