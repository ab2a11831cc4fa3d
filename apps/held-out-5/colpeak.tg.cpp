// Of each column (a channel, sampled in rows) the greatest magnitude, and in which row it is first.
#include <cmath>
#include <tangram/tangram.h>

__spectrum void colpeak(const Array<2, float> in, Array<1, float> peak, Array<1, unsigned> row)
    __requires(peak.size() == in.size(1) && row.size() == in.size(1));

__codelet void colpeak(const Array<2, float> in, Array<1, float> peak, Array<1, unsigned> row) {
  for (size_t j = 0; j < in.size(1); ++j) {
    float most = -1;
    unsigned where = 0;
    for (size_t i = 0; i < in.size(0); ++i) {
      float x = std::abs(in[i][j]);
      if (x > most) {
        most = x;
        where = i;
      }
    }
    peak[j] = most;
    row[j] = where;
  }
}
