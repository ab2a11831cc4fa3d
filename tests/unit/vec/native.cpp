// The checks as a program of their own, for vec_test.cpp to compile for the machine at hand.
#include "checks.h"

int main() {
  int failures = vec_checks::run();
  if (failures) std::printf("%d failures\n", failures);
  return failures != 0;
}
