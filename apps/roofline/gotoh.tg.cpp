// Local alignment with affine gaps of a query with every sequence of a database.
// sizes: query=512 database=16384x512
// least: bytes 16384*512; operations 16384*512*512*8
#include <algorithm>
#include <tangram/tangram.h>

__spectrum void gotoh(int open, int extend, const Array<1, unsigned char> query, const Array<2, unsigned char> database,
                      const Array<2, int> matrix, Array<1, int> score)
    __requires(score.size() == database.size(0) && matrix.size(0) == 32 && matrix.size(1) == 32);

__codelet void gotoh(int open, int extend, const Array<1, unsigned char> query, const Array<2, unsigned char> database,
                     const Array<2, int> matrix, Array<1, int> score) {
  int m = query.size(), n = database.size(1);
  for (size_t s = 0; s < database.size(0); ++s) {
    Array<1, int> h(m + 1), e(m + 1);
    for (int j = 0; j <= m; ++j) h[j] = e[j] = 0;
    int best = 0;
    for (int i = 0; i < n; ++i) {
      int diagonal = 0, f = 0;
      for (int j = 1; j <= m; ++j) {
        e[j] = std::max(e[j] - extend, h[j] - open);
        f = std::max(f - extend, h[j - 1] - open);
        int v = std::max(std::max(0, diagonal + matrix[database[s][i] & 31][query[j - 1] & 31]), std::max(e[j], f));
        diagonal = h[j];
        h[j] = v;
        best = std::max(best, v);
      }
    }
    score[s] = best;
  }
}
