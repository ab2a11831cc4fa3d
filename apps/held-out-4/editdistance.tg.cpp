// How far pairs of words of 64 letters are from each other: how many letters must be put in, taken out or exchanged
// (Levenshtein), with one row of the table at a time.
#include <algorithm>
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void editdistance(const Array<2, uint8_t> a, const Array<2, uint8_t> b, Array<1, int> distance)
    __requires(a.size(0) == distance.size() && b.size(0) == distance.size() && a.size(1) == 64 && b.size(1) == 64);

__codelet void editdistance(const Array<2, uint8_t> a, const Array<2, uint8_t> b, Array<1, int> distance) {
  for (size_t n = 0; n < distance.size(); ++n) {
    int row[65];
    for (int j = 0; j <= 64; ++j) row[j] = j;
    for (int i = 0; i < 64; ++i) {
      int diagonal = row[0];
      row[0] = i + 1;
      for (int j = 0; j < 64; ++j) {
        int above = row[j + 1];
        int exchanged = diagonal + (a[n][i] == b[n][j] ? 0 : 1);
        row[j + 1] = std::min(exchanged, std::min(above, row[j]) + 1);
        diagonal = above;
      }
    }
    distance[n] = row[64];
  }
}
