// A product of two dense matrices, asked for only where a sparse one (in compressed rows) has elements, and times
// these.
#include <tangram/tangram.h>

__spectrum void sddmm(const Array<1, unsigned> row, const Array<1, unsigned> column, const Array<1, float> value,
                      const Array<2, float> a, const Array<2, float> b, Array<1, float> out)
    __requires(row.size() == a.size(0) + 1 && value.size() == column.size() && out.size() == column.size())
        __requires(a.size(1) == b.size(1));

__codelet void sddmm(const Array<1, unsigned> row, const Array<1, unsigned> column, const Array<1, float> value,
                     const Array<2, float> a, const Array<2, float> b, Array<1, float> out) {
  for (size_t i = 0; i < a.size(0); ++i)
    for (size_t e = row[i]; e < row[i + 1]; ++e) {
      float dot = 0;
      for (size_t f = 0; f < a.size(1); ++f) dot += a[i][f] * b[column[e]][f];
      out[e] = value[e] * dot;
    }
}
