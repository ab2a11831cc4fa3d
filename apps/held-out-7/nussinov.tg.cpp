// nussinov of PolyBench: how many bases of a sequence of RNA can be paired, for each part of it.
#include <algorithm>
#include <cstdint>
#include <tangram/tangram.h>

__spectrum void nussinov(const Array<1, uint8_t> base, Array<2, int> table)
    __requires(table.size(0) == base.size() && table.size(1) == base.size());

int pairs(int a, int b) { return a + b == 3 ? 1 : 0; }

__codelet void nussinov(const Array<1, uint8_t> base, Array<2, int> table) {
  int n = base.size();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) table[i][j] = 0;
  for (int i = n - 1; i >= 0; --i)
    for (int j = i + 1; j < n; ++j) {
      table[i][j] = std::max(table[i][j], table[i][j - 1]);
      table[i][j] = std::max(table[i][j], table[i + 1][j]);
      if (i < j - 1)
        table[i][j] = std::max(table[i][j], table[i + 1][j - 1] + pairs(base[i], base[j]));
      else
        table[i][j] = std::max(table[i][j], table[i + 1][j - 1]);
      for (int k = i + 1; k < j; ++k) table[i][j] = std::max(table[i][j], table[i][k] + table[k + 1][j]);
    }
}
