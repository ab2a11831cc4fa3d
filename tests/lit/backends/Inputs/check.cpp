// Calls the kernels of types.ast, rows.ast, atomics.ast and two-launch-sum.ast through their entries for host memory,
// and compares with the same done here. The same on every target with a device.
#include "atomics.h"
#include "rows.h"
#include "two-launch-sum.h"
#include "types.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

static int failures = 0;

static void expect(bool good, const char *what, size_t n) {
  if (good) return;
  std::printf("%s of %zu: wrong\n", what, n);
  ++failures;
}

/// std::vector<bool> has no data().
template <class T> struct Buffer {
  explicit Buffer(size_t n) : memory(new T[n + 1]()), count(n) {}
  T *data() const { return memory.get(); }
  size_t size() const { return count; }
  T &operator[](size_t i) const { return memory[i]; }
  std::unique_ptr<T[]> memory;
  size_t count;
};

template <class T, class Call, class Same> void types(const char *what, size_t n, Call call, Same next) {
  Buffer<T> in(n), out(n);
  for (size_t i = 0; i < n; ++i) in[i] = static_cast<T>(static_cast<double>(i % 101) * 1.25);
  call(in, out);
  bool good = true;
  for (size_t i = 0; i < n; ++i) {
    T expected = next(in[i]), got = out[i];
    good &= std::memcmp(&expected, &got, sizeof(T)) == 0; // the same bits: nothing is fused
  }
  expect(good, what, n);
}

static void allTypes(size_t n) {
  using namespace tangram_kernels;
#define CALL(name) [](const auto &in, const auto &out) { next_##name(in.data(), in.size(), out.data(), out.size()); }
  types<bool>("bool", n, CALL(bool), [](bool x) { return !x; });
  types<int8_t>("i8", n, CALL(i8), [](int8_t x) { return int8_t(x + 3); });
  types<int16_t>("i16", n, CALL(i16), [](int16_t x) { return int16_t(x + 3); });
  types<int>("i32", n, CALL(i32), [](int x) { return x - 3; });
  types<int64_t>("i64", n, CALL(i64), [](int64_t x) { return x - 5000000000ll; });
  types<uint8_t>("u8", n, CALL(u8), [](uint8_t x) { return uint8_t(x + 3); });
  types<uint16_t>("u16", n, CALL(u16), [](uint16_t x) { return uint16_t(x + 3); });
  types<unsigned>("u32", n, CALL(u32), [](unsigned x) { return x * 4000000000u; });
  types<size_t>("u64", n, CALL(u64), [](size_t x) { return ~x; });
  types<float>("f32", n, CALL(f32), [](float x) {
    volatile float product = x * 1.1f;
    return product + std::sqrt(std::fabs(x));
  });
  types<double>("f64", n, CALL(f64), [](double x) {
    volatile double product = x * 1.1;
    return product - std::floor(x);
  });
}

static void rows(size_t height, size_t width, size_t gap) {
  size_t stride = width + gap;
  std::vector<float> a(height * stride + 1, -7.0f), x(width + 1);
  for (size_t j = 0; j < width; ++j) x[j] = static_cast<float>(j % 13);
  for (size_t i = 0; i < height; ++i)
    for (size_t j = 0; j < width; ++j) a[i * stride + j] = static_cast<float>(i + j % 7);
  std::vector<float> expected = a;
  for (size_t i = 0; i < height; ++i)
    for (size_t j = 0; j < width; ++j) expected[i * stride + j] = expected[i * stride + j] * 0.5f + x[j];
  tangram_kernels::rows(a.data(), height, width, stride, x.data(), width, 0.5f);
  expect(a == expected, "rows", height * 10000 + width);
}

static void atomics(size_t n) {
  std::vector<int> in(n), ints(4);
  std::vector<unsigned> words(6);
  std::vector<float> floats(5);
  std::vector<int64_t> longs(3);
  std::vector<double> doubles(3);
  words[1] = ~0u;
  words[4] = 0xfffu;
  long sum = 0, odd = 0;
  int least = 0, most = 0;
  unsigned ored = 0, anded = 0xfffu, xored = 0;
  for (size_t i = 0; i < n; ++i) {
    in[i] = static_cast<int>(i % 64) + 32;
    sum += in[i];
    odd += in[i] & 1;
    least = std::min(least, in[i]);
    most = std::max(most, in[i]);
    ored |= static_cast<unsigned>(in[i]);
    anded &= static_cast<unsigned>(in[i]);
    xored ^= static_cast<unsigned>(in[i]);
  }
  unsigned result = tangram_kernels::atomics(in, ints, words, floats, longs, doubles);
  expect(result == odd, "atomics on a scratchpad", n);
  expect(ints == std::vector<int>{int(sum), least, most, int(-sum)}, "atomics on int", n);
  expect(words == std::vector<unsigned>{unsigned(sum), n ? 32u : ~0u, unsigned(most), ored, anded, xored},
         "atomics on unsigned", n);
  expect(floats == std::vector<float>{float(sum), 0, float(most), n ? 2.5f : 0, n ? 7.0f : 0}, "atomics on float", n);
  expect(longs == std::vector<int64_t>{sum, 0, most}, "atomics on int64_t", n);
  expect(doubles == std::vector<double>{double(sum), 0, double(most)}, "atomics on double", n);
}

static void sums(size_t n) {
  std::vector<int> in(n);
  int expected = 0;
  for (size_t i = 0; i < n; ++i) expected += in[i] = static_cast<int>(i % 17) - 3;
  expect(tangram_kernels::sum(in) == expected, "sum", n);
}

int main() {
  try {
    for (size_t n : {0, 1, 31, 1009}) {
      allTypes(n);
      atomics(n);
      sums(n);
    }
    for (size_t height : {0, 1, 5})
      for (size_t width : {0, 1, 31, 101}) {
        rows(height, width, 0);
        rows(height, width, 3);
      }
  } catch (const std::exception &e) {
    std::printf("%s\n", e.what());
    return 1;
  }
  std::printf(failures ? "%d wrong\n" : "all right\n", failures);
  return failures != 0;
}
