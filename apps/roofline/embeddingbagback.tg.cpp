// The gradients of a weighted embedding bag: rows of the table that several bags use add up; each weight gets a
// product.
// sizes: table=1048576x128 index=2097152 start=65537
// least: bytes 2097152*(128*4*2+8)+65536*128*4+1048576*128*4; operations 2097152*128*4; launches 2
#include <tangram/tangram.h>

__spectrum void embeddingbagback(const Array<2, float> table, const Array<1, int> index, const Array<1, float> weight,
                                 const Array<1, int> start, const Array<2, float> dout, Array<2, float> dtable,
                                 Array<1, float> dweight)
    __requires(weight.size() == index.size() && dweight.size() == index.size() && start.size() == dout.size(0) + 1)
        __requires(dout.size(1) == table.size(1) && dtable.size(0) == table.size(0) && dtable.size(1) == table.size(1));

__codelet void embeddingbagback(const Array<2, float> table, const Array<1, int> index, const Array<1, float> weight,
                                const Array<1, int> start, const Array<2, float> dout, Array<2, float> dtable,
                                Array<1, float> dweight) {
  int rows = table.size(0), width = table.size(1), bags = dout.size(0);
  for (int r = 0; r < rows; ++r)
    for (int d = 0; d < width; ++d) dtable[r][d] = 0;
  for (int b = 0; b < bags; ++b)
    for (int k = start[b]; k < start[b + 1]; ++k) {
      int row = index[k];
      if (row < 0) { // padding
        dweight[k] = 0;
        continue;
      }
      float dot = 0;
      for (int d = 0; d < width; ++d) {
        dtable[row][d] += weight[k] * dout[b][d];
        dot += table[row][d] * dout[b][d];
      }
      dweight[k] = dot;
    }
}
