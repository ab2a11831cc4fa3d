// Sums of rows of different lengths: by a loop, and by parts of the numbers.
#include <tangram/tangram.h>

__spectrum void sums(const Array<1, unsigned> row, const Array<1, unsigned> column, const Array<1, float> x,
                     Array<1, float> out) __requires(row.size() == out.size() + 1);

__codelet void sums(const Array<1, unsigned> row, const Array<1, unsigned> column, const Array<1, float> x,
                    Array<1, float> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    float sum = 0;
    for (unsigned k = row[i]; k < row[i + 1]; ++k) sum += x[column[k]];
    out[i] = sum / (1 + row[i + 1] - row[i]);
  }
}

__spectrum float total(const Array<1, float> in);
__codelet float total(const Array<1, float> in) {
  float sum = 0;
  for (size_t i = 0; i < in.size(); ++i) sum += in[i];
  return sum;
}

__spectrum void parts(const Array<1, unsigned> row, const Array<1, float> value, Array<1, float> out)
    __requires(row.size() == out.size() + 1);
__codelet void parts(const Array<1, unsigned> row, const Array<1, float> value, Array<1, float> out) {
  size_t n = out.size();
  out = map(total, partition(value, n, sequence(row, 0, 1, n), sequence(1), sequence(row, 1, 1, n + 1)));
}
