// Calls the entry of `sum` for data on the device with what it must refuse before anything runs, and then rightly. The
// same for every backend whose data are addresses.
#include "sum.h"

#include <cstdint>
#include <cstdio>

static void call(const char *what, const int *in, size_t n, int *result, size_t bytes) {
  void *workspace = reinterpret_cast<void *>(uintptr_t{1} << 20); // nothing reads it here
  int status = sum(in, n, result, workspace, bytes, nullptr);
  std::printf("%s: %d %s\n", what, status, sum_error());
}

int main() {
  auto at = [](uintptr_t address) { return reinterpret_cast<int *>(address); };
  size_t bytes = sum_workspace(100);
  call("null", nullptr, 100, at(64), bytes);
  call("null result", at(4096), 100, nullptr, bytes);
  call("misaligned", at(4097), 100, at(64), bytes);
  call("misaligned result", at(4096), 100, at(66), bytes);
  call("small", at(4096), 100, at(64), bytes - 1);
  call("large", at(4096), 5000000000u, at(64), sum_workspace(5000000000u));
  call("right", at(4096), 100, at(64), bytes);
}
