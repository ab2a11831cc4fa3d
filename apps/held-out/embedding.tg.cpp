// An embedding bag: of each bag, the sum of the rows of a table that its 32 indices name.
#include <tangram/tangram.h>

__spectrum void embedding(const Array<2, float> table, const Array<2, int> index, Array<2, float> out)
    __requires(table.size(1) == 128 && index.size(1) == 32)
        __requires(out.size(0) == index.size(0) && out.size(1) == 128);

__codelet void embedding(const Array<2, float> table, const Array<2, int> index, Array<2, float> out) {
  for (size_t b = 0; b < out.size(0); ++b)
    for (size_t d = 0; d < 128; ++d) {
      float sum = 0;
      for (size_t k = 0; k < 32; ++k) sum += table[index[b][k]][d];
      out[b][d] = sum;
    }
}
