// Bags of embeddings, weighted, by mean (DLRM).
// sizes: table=1048576x128 index=2097152 offset=65537 out=65536x128
// least: bytes 2097152*128*4+65536*128*4; operations 2097152*128*2
#include <tangram/tangram.h>

__spectrum void embeddingbag(const Array<2, float> table, const Array<1, unsigned> index, const Array<1, float> weight,
                             const Array<1, unsigned> offset, Array<2, float> out)
    __requires(weight.size() == index.size() && offset.size() == out.size(0) + 1 && out.size(1) == table.size(1));

__codelet void embeddingbag(const Array<2, float> table, const Array<1, unsigned> index, const Array<1, float> weight,
                            const Array<1, unsigned> offset, Array<2, float> out) {
  for (size_t b = 0; b < out.size(0); ++b) {
    for (size_t d = 0; d < out.size(1); ++d) out[b][d] = 0;
    float total = 0;
    for (unsigned k = offset[b]; k < offset[b + 1]; ++k) {
      total += weight[k];
      for (size_t d = 0; d < out.size(1); ++d) out[b][d] += weight[k] * table[index[k]][d];
    }
    if (total != 0)
      for (size_t d = 0; d < out.size(1); ++d) out[b][d] /= total;
  }
}
