// Calls a kernel that is compiled CHECKED with an index that is none.
#include "careless.h"

#include <cstdio>
#include <stdexcept>

int main() {
  int in[3] = {5, 6, 7};
  if (tangram_kernels::element(in, 3, 2) != 7) return 1;
  try {
    tangram_kernels::element(in, 3, -1);
  } catch (const std::runtime_error &error) {
    std::printf("refused: %s\n", error.what());
    return 0;
  }
  return 1;
}
