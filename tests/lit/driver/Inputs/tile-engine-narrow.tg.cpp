// Products of numbers whose conversions are not what an engine does.
#include <cstdint>
#include <tangram/tangram.h>

// 200, where the element is -56.
__spectrum void reinterpreted(const Array<2, int8_t> a, const Array<2, int8_t> b, Array<2, int> c)
    __requires(a.size(0) == c.size(0) && b.size(0) == c.size(1) && a.size(1) == b.size(1));
__codelet void reinterpreted(const Array<2, int8_t> a, const Array<2, int8_t> b, Array<2, int> c) {
  for (size_t i = 0; i < c.size(0); ++i)
    for (size_t j = 0; j < c.size(1); ++j) {
      int sum = 0;
      for (size_t k = 0; k < a.size(1); ++k) sum += int(uint8_t(a[i][k])) * int(uint8_t(b[j][k]));
      c[i][j] = sum;
    }
}

// Rounded once more on the way.
__spectrum void rounded(const Array<2, f16> a, const Array<2, f16> b, Array<2, float> c)
    __requires(a.size(0) == c.size(0) && b.size(0) == c.size(1) && a.size(1) == b.size(1));
__codelet void rounded(const Array<2, f16> a, const Array<2, f16> b, Array<2, float> c) {
  for (size_t i = 0; i < c.size(0); ++i)
    for (size_t j = 0; j < c.size(1); ++j) {
      float sum = 0;
      for (size_t k = 0; k < a.size(1); ++k) sum += float(bf16(float(a[i][k]))) * float(bf16(float(b[j][k])));
      c[i][j] = sum;
    }
}

// By way of a type that has all their values.
__spectrum void widened(const Array<2, int8_t> a, const Array<2, int8_t> b, Array<2, int> c)
    __requires(a.size(0) == c.size(0) && b.size(0) == c.size(1) && a.size(1) == b.size(1));
__codelet void widened(const Array<2, int8_t> a, const Array<2, int8_t> b, Array<2, int> c) {
  for (size_t i = 0; i < c.size(0); ++i)
    for (size_t j = 0; j < c.size(1); ++j) {
      int sum = 0;
      for (size_t k = 0; k < a.size(1); ++k) sum += int(short(a[i][k])) * int(short(b[j][k]));
      c[i][j] = sum;
    }
}
