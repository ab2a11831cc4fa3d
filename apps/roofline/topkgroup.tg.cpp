// The three best scores of each group, rows in any order (ORDER BY score DESC LIMIT 3 per group).
// sizes: group=67108864 score=67108864 best=65536x3
// least: bytes 67108864*8+65536*3*4; operations 67108864*3; launches 1
#include <tangram/tangram.h>

constexpr int K = 3;

__spectrum void topkgroup(const Array<1, unsigned> group, const Array<1, int> score, Array<2, int> best)
    __requires(score.size() == group.size() && best.size(1) == 3);

__codelet void topkgroup(const Array<1, unsigned> group, const Array<1, int> score, Array<2, int> best) {
  for (size_t g = 0; g < best.size(0); g++)
    for (int k = 0; k < K; k++) best[g][k] = -2147483647;
  for (size_t i = 0; i < group.size(); i++) {
    unsigned g = group[i];
    int s = score[i];
    if (s <= best[g][K - 1]) continue;
    int k = K - 1;
    while (k > 0 && best[g][k - 1] < s) {
      best[g][k] = best[g][k - 1];
      k--;
    }
    best[g][k] = s;
  }
}
