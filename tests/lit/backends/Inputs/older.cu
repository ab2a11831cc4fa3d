// Atomic operations on words of 8 bytes, which older devices lack in part.
#include <tangram/cuda/atomics.h>

template <class T> __device__ void combine(T *place, T value) {
  using namespace tangram_atomic;
  min(place, value), max(place, value), bit_and(place, value), bit_or(place, value), bit_xor(place, value);
}
__global__ void words(long long *places, unsigned long long *others) {
  combine(places, 5ll);
  combine(others, 7ull);
}
__global__ void sums(double *places) {
  tangram_atomic::add(places, 1.5);
  tangram_atomic::sub(places + 1, 2.5);
}
