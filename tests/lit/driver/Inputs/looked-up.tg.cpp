// Rows of a table, added up, of which an argument says which.
#include <tangram/tangram.h>

__spectrum void looked_up(const Array<2, float> table, const Array<1, int> index, Array<1, float> out)
    __requires(out.size() == table.size(1));

__codelet void looked_up(const Array<2, float> table, const Array<1, int> index, Array<1, float> out) {
  for (size_t j = 0; j < out.size(); ++j) {
    float sum = 0;
    for (size_t i = 0; i < index.size(); ++i) {
      int row = index[i];
      sum += table[row][j];
    }
    out[j] = sum;
  }
}
