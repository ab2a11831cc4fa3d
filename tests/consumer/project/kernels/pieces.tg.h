#pragma once
#include <cstddef>
#include <tangram/tangram.h>

inline double square(double x) { return x * x; }

__spectrum double total(const Array<1, double> in);

__codelet double total(const Array<1, double> in) {
  double sum = 0;
  for (std::size_t i = 0; i < in.size(); ++i) sum += in[i];
  return sum;
}
