// Numbers of 16 bits as a caller has them.
#include "halves.h"

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <vector>

int main() {
  for (int n : {0, 1, 7, 100}) {
    std::vector<tangram::f16> x;
    std::vector<Weighted> w(n);
    float sum = 0;
    for (int i = 0; i < n; ++i) {
      x.push_back(i * 0.25f);
      sum = tangram::f16(sum + i * 0.25f);
    }
    tangram::f16 got = tangram_kernels::scaled(x, tangram::bf16(3.0f), w);
    if (got != sum) return std::printf("%d: %g, not %g\n", n, float(got), sum), 1;
    for (int i = 0; i < n; ++i)
      if (w[i].weight != i * 0.75f || w[i].value != i * 0.75f) return std::printf("element %d of %d\n", i, n), 1;
  }
  try {
    tangram_kernels::scaled(nullptr, 0, tangram::bf16(-1.0f), nullptr, 0);
    return std::puts("a condition that does not hold"), 1;
  } catch (const std::runtime_error &e) {
    if (!std::strstr(e.what(), "by > ")) return std::puts(e.what()), 1;
  }
#ifdef __FLT16_MAX__
  _Float16 theirs[3] = {_Float16(1), _Float16(2), _Float16(4.5)};
  Weighted w[3];
  tangram_f16 result;
  if (scaled(reinterpret_cast<const tangram_f16 *>(theirs), 3, 2.0f, w, 3, &result) != 0) return 1;
  if (result != 7.5f || w[2].weight != 9.0f) return std::puts("_Float16"), 1;
#endif
  std::puts("all right");
}
