// Of each row of distances the 8 smallest in their order, and where they stand; of equal ones the first.
#include <limits>
#include <tangram/tangram.h>

__spectrum void topk(const Array<2, float> distance, Array<2, float> value, Array<2, unsigned> index)
    __requires(value.size(0) == distance.size(0) && index.size(0) == distance.size(0))
        __requires(value.size(1) == 8 && index.size(1) == 8 && distance.size(1) >= 8);

__codelet void topk(const Array<2, float> distance, Array<2, float> value, Array<2, unsigned> index) {
  for (size_t i = 0; i < distance.size(0); ++i) {
    float best[8];
    unsigned where[8];
    for (int k = 0; k < 8; ++k) {
      best[k] = std::numeric_limits<float>::infinity();
      where[k] = 0;
    }
    for (unsigned j = 0; j < distance.size(1); ++j) {
      float d = distance[i][j];
      if (d < best[7]) {
        int k = 7;
        while (k > 0 && d < best[k - 1]) {
          best[k] = best[k - 1];
          where[k] = where[k - 1];
          --k;
        }
        best[k] = d;
        where[k] = j;
      }
    }
    for (int k = 0; k < 8; ++k) {
      value[i][k] = best[k];
      index[i][k] = where[k];
    }
  }
}
