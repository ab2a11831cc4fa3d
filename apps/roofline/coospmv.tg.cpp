// A sparse matrix of triples times a vector.
// sizes: row=67108864 y=4194304 x=4194304
// least: bytes 67108864*12+4194304*8; operations 67108864*2; launches 2
#include <tangram/tangram.h>

__spectrum void coospmv(const Array<1, unsigned> row, const Array<1, unsigned> column, const Array<1, double> value,
                        const Array<1, double> x, Array<1, double> y)
    __requires(column.size() == row.size() && value.size() == row.size());

__codelet void coospmv(const Array<1, unsigned> row, const Array<1, unsigned> column, const Array<1, double> value,
                       const Array<1, double> x, Array<1, double> y) {
  for (size_t i = 0; i < y.size(); ++i) y[i] = 0;
  for (size_t k = 0; k < row.size(); ++k) y[row[k]] += value[k] * x[column[k]];
}
