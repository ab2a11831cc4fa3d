// One spectrum for several targets in one program.
#include "cpu-openmp/energy.h"
#include "cpu-simple/energy.h"
#include "marked/energy.h"

#include <cmath>
#include <cstdio>
#include <vector>

const char *compiledWith(); // by the flags of marked.yaml alone

int main() {
  std::vector<float> in(100003, 0.5f);
  for (double got : {tangram_kernels::energy_cpu_simple(in.data(), in.size(), 2.0f),
                     tangram_kernels::energy_cpu_openmp(in.data(), in.size(), 2.0f),
                     tangram_kernels::energy_marked(in.data(), in.size(), 2.0f)})
    if (std::fabs(got - 100003) > 1e-6) {
      std::fprintf(stderr, "energy: %.17g, not 100003\n", got);
      return 1;
    }
  std::printf("three targets agree; compiled with %s\n", compiledWith());
  return 0;
}
