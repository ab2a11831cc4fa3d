// The checks as a program of their own, for vec_test.cpp to compile for the machine at hand.
#include "accuracy.h"

int main() {
  vec_checks::run();
  int failures = vec_checks::runAccuracy();
  if (failures) std::printf("%d failures\n", failures);
  return failures != 0;
}
