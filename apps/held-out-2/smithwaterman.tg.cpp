// Smith and Waterman's scores of local alignments of two sequences, and the best of them.
#include <algorithm>
#include <cstdint>
#include <tangram/tangram.h>

__spectrum int smithwaterman(const Array<1, uint8_t> a, const Array<1, uint8_t> b, Array<2, int> score)
    __requires(score.size(0) == a.size() + 1 && score.size(1) == b.size() + 1);

__codelet int smithwaterman(const Array<1, uint8_t> a, const Array<1, uint8_t> b, Array<2, int> score) {
  int best = 0;
  for (size_t i = 0; i <= a.size(); ++i) score[i][0] = 0;
  for (size_t j = 0; j <= b.size(); ++j) score[0][j] = 0;
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t j = 1; j <= b.size(); ++j) {
      int match = score[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 3 : -2);
      int gap = std::max(score[i - 1][j], score[i][j - 1]) - 2;
      score[i][j] = std::max(std::max(match, gap), 0);
      best = std::max(best, score[i][j]);
    }
  return best;
}
