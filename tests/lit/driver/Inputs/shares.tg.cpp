// Of each segment of a container, elements by their sum.
#include <tangram/tangram.h>

__spectrum void shares(const Array<1, unsigned> row, const Array<1, float> in, Array<1, float> out)
    __requires(in.size() == out.size());

__codelet void shares(const Array<1, unsigned> row, const Array<1, float> in, Array<1, float> out) {
  for (size_t i = 0; i + 1 < row.size(); ++i) {
    size_t begin = row[i], end = row[i + 1];
    float sum = 0;
    for (size_t e = begin; e < end; ++e) sum += in[e];
    for (size_t e = begin; e < end; ++e) out[e] = in[e] / sum + i;
  }
}
