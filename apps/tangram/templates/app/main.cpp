#include "@NAME@.h"

#include <cstdio>
#include <vector>

int main() {
  std::vector<float> in(1000);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 100) - 70;
  std::printf("%g\n", tangram_kernels::@IDENT@(in.data(), in.size()));
}
