// The gradient of a table of embeddings: rows of tokens' gradients added up where these had been looked up.
#include <tangram/tangram.h>

__spectrum void embeddinggrad(const Array<1, unsigned> token, const Array<2, float> dy, Array<2, float> dtable)
    __requires(token.size() == dy.size(0) && dtable.size(1) == dy.size(1));

__codelet void embeddinggrad(const Array<1, unsigned> token, const Array<2, float> dy, Array<2, float> dtable) {
  for (size_t v = 0; v < dtable.size(0); ++v)
    for (size_t d = 0; d < dtable.size(1); ++d) dtable[v][d] = 0;
  for (size_t t = 0; t < token.size(); ++t)
    for (size_t d = 0; d < dy.size(1); ++d) dtable[token[t]][d] += dy[t][d];
}
