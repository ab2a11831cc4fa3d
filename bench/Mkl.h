// MKL as a peer, where it was found. Loaded at run time and into a scope of its own: it has the names of OpenBLAS.
#pragma once

#ifdef TANGRAM_BENCH_MKL

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace bench::mkl {

/// One of its functions; ends the program where it is not there.
template <class F> F *function(const char *name) {
  static void *library = [] {
    void *found = dlopen(TANGRAM_BENCH_MKL, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (!found) std::fprintf(stderr, "error: MKL cannot be loaded: %s\n", dlerror()), std::exit(1);
    // The OpenMP that the rest of the program has.
    constexpr int kGnuThreads = 3;
    if (void *choose = dlsym(found, "MKL_Set_Threading_Layer")) reinterpret_cast<int (*)(int)>(choose)(kGnuThreads);
    return found;
  }();
  void *found = dlsym(library, name);
  if (!found) std::fprintf(stderr, "error: %s has no %s\n", TANGRAM_BENCH_MKL, name), std::exit(1);
  return reinterpret_cast<F *>(found);
}

} // namespace bench::mkl

#endif
