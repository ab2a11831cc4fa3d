#include <tangram/tangram.h>

__spectrum void fill(const Array<1, size_t> rows, Array<1, int> out);
__codelet __tag(serial) void fill(const Array<1, size_t> rows, Array<1, int> out) {
  for (size_t i = 0; i < rows.size(); ++i) out[rows[i]] = 2 * (int)rows[i];
}
__spectrum void filled(Array<1, int> out);
__codelet __tag(strided) void filled(Array<1, int> out) {
  size_t n = out.size();
  map(fill, partition(range(n), 4, sequence(0, 1, 4), sequence(4), sequence(n)), out);
}

// Reads behind the end of a range of three.
__spectrum int beyond(size_t i);
__codelet int beyond(size_t i) {
  auto r = range<int>(5, 8);
  return r[i];
}
__spectrum size_t total(const Array<1, size_t> x);
__codelet size_t total(const Array<1, size_t> x) {
  size_t sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += x[i];
  return sum;
}
__spectrum size_t triangle(size_t n);
__codelet size_t triangle(size_t n) { return total(range(n)); }
