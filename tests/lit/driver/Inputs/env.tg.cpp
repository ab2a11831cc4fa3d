#include <tangram/tangram.h>

__spectrum int f(int x);
__codelet __env(cpu-openmp) __tag(only) int f(int x) { return x; }
