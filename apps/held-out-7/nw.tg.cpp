// Needleman and Wunsch's scores of global alignments (as in Rodinia), from how alike each pair of elements is and what
// a gap costs.
#include <algorithm>
#include <tangram/tangram.h>

__spectrum void nw(int penalty, const Array<2, int> similarity, Array<2, int> score)
    __requires(score.size(0) == similarity.size(0) + 1 && score.size(1) == similarity.size(1) + 1);

__codelet void nw(int penalty, const Array<2, int> similarity, Array<2, int> score) {
  int rows = score.size(0), columns = score.size(1);
  for (int i = 0; i < rows; ++i) score[i][0] = -i * penalty;
  for (int j = 0; j < columns; ++j) score[0][j] = -j * penalty;
  for (int i = 1; i < rows; ++i)
    for (int j = 1; j < columns; ++j) {
      int match = score[i - 1][j - 1] + similarity[i - 1][j - 1];
      int up = score[i - 1][j] - penalty, left = score[i][j - 1] - penalty;
      score[i][j] = std::max(match, std::max(up, left));
    }
}
