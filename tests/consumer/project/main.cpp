// Calls the generated kernels by their headers, and checks them against loops.
#include "energy.h"
#include SHIFT_HEADER

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <vector>

int main() {
  for (std::size_t n : {0, 1, 2, 31, 100003}) {
    std::vector<float> in(n);
    double expected = 0;
    for (std::size_t i = 0; i < n; ++i) {
      in[i] = static_cast<float>(i % 17) / 4;
      expected += static_cast<double>(in[i] * 2) * (in[i] * 2);
    }
    double got = tangram_kernels::energy(in.data(), n, 2.0f);
    if (std::fabs(got - expected) > 1e-12 * expected) {
      std::fprintf(stderr, "energy of %zu: %.17g, not %.17g\n", n, got, expected);
      return 1;
    }
    std::vector<int> from(n, 5), to(n);
    tangram_kernels::shift(from.data(), n, 3, to.data(), n);
    for (int x : to)
      if (x != 8) {
        std::fprintf(stderr, "shift: %d, not 8\n", x);
        return 1;
      }
  }
  // Lengths that do not match are refused at the call.
  int few[2] = {}, many[3] = {};
  try {
    tangram_kernels::shift(few, 2, 1, many, 3);
    std::fprintf(stderr, "shift: lengths 2 and 3 were taken\n");
    return 1;
  } catch (const std::runtime_error &error) {
    std::printf("refused: %s\n", error.what());
  }
  std::printf("all kernels agree\n");
  return 0;
}
