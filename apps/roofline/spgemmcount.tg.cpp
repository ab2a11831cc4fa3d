// A sparse matrix times another one, counted: how many elements each row of the product has, by marks, and where rows
// begin. The number of all is returned.
// sizes: arow=1048577 acolumn=8388608 brow=1048577 bcolumn=8388608 columns=1048576
// least: bytes 8388608*8*4+8388608*4+1048576*12; launches 2
#include <tangram/tangram.h>

__spectrum int spgemmcount(int columns, const Array<1, int> arow, const Array<1, int> acolumn, const Array<1, int> brow,
                           const Array<1, int> bcolumn, Array<1, int> crow)
    __requires(crow.size() == arow.size() && arow.size() > 0 && columns > 0);

__codelet int spgemmcount(int columns, const Array<1, int> arow, const Array<1, int> acolumn, const Array<1, int> brow,
                          const Array<1, int> bcolumn, Array<1, int> crow) {
  int rows = arow.size() - 1;
  Array<1, int> mark(columns);
  for (int c = 0; c < columns; ++c) mark[c] = -1;
  crow[0] = 0;
  for (int i = 0; i < rows; ++i) {
    int count = 0;
    for (int k = arow[i]; k < arow[i + 1]; ++k)
      for (int l = brow[acolumn[k]]; l < brow[acolumn[k] + 1]; ++l)
        if (mark[bcolumn[l]] != i) {
          mark[bcolumn[l]] = i;
          ++count;
        }
    crow[i + 1] = crow[i] + count;
  }
  return crow[rows];
}
