// Checks of vec<T, N> lane by lane against plain loops. Compiled into the unit tests for the baseline machine, and by
// a test for the machine at hand: the header takes other paths there.
#pragma once

#if defined(__GNUC__) && !defined(__clang__)
// A false alarm: of wide vectors, lane after lane is set.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <tangram/runtime/vec.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace vec_checks {

inline int failures = 0;
inline const char *where = "";

inline void expect(bool ok, const char *what, int lanes, int lane) {
  if (ok) return;
  if (failures++ < 20) std::printf("%s: %s is wrong in lane %d of %d\n", where, what, lane, lanes);
}

template <class T> bool same(T a, T b) { return a == b || (a != a && b != b); }

template <class T> std::vector<T> values(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> v(n);
  for (T &x : v) {
    if constexpr (std::is_same_v<T, bool>)
      x = random() & 1;
    else if constexpr (std::is_floating_point_v<T>)
      x = T(int(random() % 2001) - 1000) / 8;
    else
      x = T(random());
  }
  return v;
}

template <class T, int N> tangram::vec<T, N> from(const std::vector<T> &v) {
  tangram::vec<T, N> r = T(0);
  for (int i = 0; i < N; ++i) r.set(i, v[i]);
  return r;
}
template <int N> tangram::vec<bool, N> maskFrom(const std::vector<int> &v) {
  return tangram::load<N>(v.data()) != tangram::vec<int, N>(0);
}

template <class T, int N> void arithmetic() {
  using namespace tangram;
  std::vector<T> a = values<T>(N, 1), b = values<T>(N, 2);
  a[0] = b[0];
  vec<T, N> va = from<T, N>(a), vb = from<T, N>(b);
  auto each = [&](const char *what, auto got, auto want) {
    for (int i = 0; i < N; ++i) expect(same<T>(got[i], T(want(a[i], b[i]))), what, N, i);
  };
  using W = typename vec_detail::wrapping<T>;
  each("+", va + vb, [](T x, T y) { return T(W(x) + W(y)); });
  each("-", va - vb, [](T x, T y) { return T(W(x) - W(y)); });
  if constexpr (sizeof(T) >= 4) each("*", va * vb, [](T x, T y) { return T(W(x) * W(y)); });
  each("unary -", -va, [](T x, T) { return T(-W(x)); });
  each("min", min(va, vb), [](T x, T y) { return y < x ? y : x; });
  each("max", max(va, vb), [](T x, T y) { return x < y ? y : x; });
  each("broadcast", vec<T, N>(b[0]) + va, [&](T x, T) { return T(W(b[0]) + W(x)); });
  each("join", vec<T, N>::join(va.low(), va.high()), [](T x, T) { return x; });
  vec<T, N> sum = va;
  sum += vb;
  each("+=", sum, [](T x, T y) { return T(W(x) + W(y)); });
  if constexpr (std::is_integral_v<T>) {
    each("&", va & vb, [](T x, T y) { return T(x & y); });
    each("|", va | vb, [](T x, T y) { return T(x | y); });
    each("^", va ^ vb, [](T x, T y) { return T(x ^ y); });
    each("~", ~va, [](T x, T) { return T(~x); });
    each(">>", va >> vec<T, N>(T(3)), [](T x, T) { return T(x >> 3); });
    vec<T, N> divisor = vb | vec<T, N>(T(2));
    for (int i = 0; i < N; ++i) {
      expect((va / divisor)[i] == T(a[i] / T(b[i] | 2)), "/", N, i);
      expect((va % divisor)[i] == T(a[i] % T(b[i] | 2)), "%", N, i);
    }
    // Quotients that are, or are nearly, whole.
    constexpr T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
    for (T x : {T(0), T(1), T(most / 2), T(most - 1), most, least, T(least + 1)})
      for (T y : {T(1), T(2), T(3), T(7), T(most / 2), T(most - 1), most, T(least + 2)}) {
        if (y == 0) continue;
        expect((vec<T, N>(x) / vec<T, N>(y))[N - 1] == T(x / y), "/", N, N - 1);
        expect((vec<T, N>(x) % vec<T, N>(y))[N - 1] == T(x % y), "%", N, N - 1);
        expect((vec<T, N>(x) / y)[N - 1] == T(x / y), "/ by one number", N, N - 1);
        expect((vec<T, N>(x) % y)[N - 1] == T(x % y), "% by one number", N, N - 1);
      }
    for (T y = 1; y > 0 && y <= most / 2; y = T(y * 2))
      for (int i = 0; i < N; ++i) {
        expect((va / y)[i] == T(a[i] / y), "/ by a power of two", N, i);
        expect((va % y)[i] == T(a[i] % y), "% by a power of two", N, i);
      }
  } else {
    each("/", va / vb, [](T x, T y) { return x / y; });
  }
  auto compare = [&](const char *what, vec<bool, N> got, auto want) {
    for (int i = 0; i < N; ++i) expect(got[i] == want(a[i], b[i]), what, N, i);
  };
  compare("==", va == vb, [](T x, T y) { return x == y; });
  compare("!=", va != vb, [](T x, T y) { return x != y; });
  compare("<", va < vb, [](T x, T y) { return x < y; });
  compare("<=", va <= vb, [](T x, T y) { return x <= y; });
  compare(">", va > vb, [](T x, T y) { return x > y; });
  compare(">=", va >= vb, [](T x, T y) { return x >= y; });
  vec<bool, N> less = va < vb;
  each("select", select(less, va, vb), [](T x, T y) { return x < y ? x : y; });

  T total = 0, lowest = a[0], highest = a[0];
  for (T x : a) {
    total = T(W(total) + W(x));
    lowest = x < lowest ? x : lowest;
    highest = highest < x ? x : highest;
  }
  expect(same<T>(reduce_add(va), total), "reduce_add", N, 0); // eighths: exact in any order
  expect(reduce_min(va) == lowest, "reduce_min", N, 0);
  expect(reduce_max(va) == highest, "reduce_max", N, 0);
  vec<std::uint32_t, N> from(0u);
  for (int i = 0; i < N; ++i) from.set(std::size_t(i), std::uint32_t(7 * i - 3)); // also beyond the lanes
  for (int i = 0; i < N; ++i) expect(same<T>(shuffle(va, from)[i], a[std::uint32_t(7 * i - 3) % N]), "shuffle", N, i);
  if constexpr (std::is_integral_v<T>)
    for (T by : {T(1), T(3), T(N / 2 + 1), T(N), T(2 * N)}) { // with and without a second round
      const vec<T, N> rest = lane_index<T, N>() % by, around = (lane_index<T, N>() + vec<T, N>(T(by - 1))) % by;
      for (int i = 0; i < N; ++i) {
        expect(rest[i] == T(T(i) % by), "remainder by one number", N, i);
        expect(around[i] == T(T(T(i) + T(by - 1)) % by), "remainder around", N, i);
      }
    }
  vec<T, N> numbers = lane_index<T, N>();
  for (int i = 0; i < N; ++i) expect(numbers[i] == T(i), "lane_index", N, i);
}

template <class T, class U, int N> void conversion() {
  using namespace tangram;
  std::vector<T> a = values<T>(N, 3);
  if constexpr (std::is_floating_point_v<T>)
    for (T &x : a) x = std::fabs(x); // unsigned targets
  vec<U, N> got = convert<U>(from<T, N>(a));
  for (int i = 0; i < N; ++i) {
    if (std::is_floating_point_v<T> && a[i] > T(std::numeric_limits<U>::max())) continue; // undefined
    expect(same<U>(got[i], U(a[i])), "convert", N, i);
  }
}

/// A page between two that must not be touched.
template <class T> class Fence {
public:
  Fence() : page_(sysconf(_SC_PAGESIZE)) {
    memory_ = static_cast<char *>(mmap(nullptr, 3 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(memory_, page_, PROT_NONE);
    mprotect(memory_ + 2 * page_, page_, PROT_NONE);
    end = reinterpret_cast<T *>(memory_ + 2 * page_);
    begin = reinterpret_cast<T *>(memory_ + page_);
  }
  ~Fence() { munmap(memory_, 3 * page_); }
  T *begin, *end;

private:
  long page_;
  char *memory_;
};

template <class T, int N> void memory() {
  using namespace tangram;
  std::vector<T> data = values<T>(N + 3, 5);
  vec<T, N> loaded(T(0));
  {
    Fence<T> fence;
    // Lanes from `inside` on lie beyond the fence and are masked out.
    for (int inside : {0, 1, N / 2, N - 1, N}) {
      if (inside > N) continue;
      std::vector<int> first(N);
      for (int i = 0; i < N; ++i) first[i] = i < inside;
      vec<bool, N> mask = maskFrom<N>(first);
      T *p = fence.end - inside;
      for (int i = 0; i < inside; ++i) p[i] = data[i];
      loaded = load<N>(p, mask);
      for (int i = 0; i < N; ++i) expect(same<T>(loaded[i], i < inside ? data[i] : T(0)), "masked load", N, i);
      store(p, from<T, N>(std::vector<T>(data.begin() + 3, data.end())), mask);
      for (int i = 0; i < inside; ++i) expect(same<T>(p[i], data[i + 3]), "masked store", N, i);
      vec<std::uint64_t, N> index = lane_index<std::uint64_t, N>();
      loaded = gather(p, index, mask);
      for (int i = 0; i < N; ++i) expect(same<T>(loaded[i], i < inside ? data[i + 3] : T(0)), "masked gather", N, i);
      scatter(p, index, from<T, N>(data), mask);
      for (int i = 0; i < inside; ++i) expect(same<T>(p[i], data[i]), "masked scatter", N, i);
      // Lanes in front of the fence.
      vec<bool, N> last = !mask;
      T *q = fence.begin - inside;
      for (int i = inside; i < N; ++i) q[i] = data[i];
      loaded = load<N>(q, last);
      for (int i = 0; i < N; ++i) expect(same<T>(loaded[i], i < inside ? T(0) : data[i]), "masked load in front", N, i);
    }
  }
  std::vector<T> out(N + 2, T(7));
  store(out.data() + 1, load<N>(data.data() + 1));
  for (int i = 0; i < N; ++i) expect(same<T>(out[i + 1], data[i + 1]), "load and store", N, i);
  expect(out[0] == T(7) && out[N + 1] == T(7), "the surroundings of a store", N, 0);

  // Lanes that write one element: the highest wins.
  std::vector<T> target(N + 1, T(0));
  vec<std::uint64_t, N> pairs = lane_index<std::uint64_t, N>() / vec<std::uint64_t, N>(2);
  scatter(target.data(), pairs, from<T, N>(data));
  for (int i = 0; i < (N + 1) / 2; ++i) {
    int winner = 2 * i + 1 < N ? 2 * i + 1 : 2 * i;
    expect(same<T>(target[i], data[winner]), "scatter with conflicts", N, i);
  }
  std::fill(target.begin(), target.end(), T(0));
  scatter(target.data(), convert<std::uint32_t>(pairs), from<T, N>(data));
  for (int i = 0; i < (N + 1) / 2; ++i)
    expect(same<T>(target[i], data[std::min(2 * i + 1, N - 1)]), "near scatter with conflicts", N, i);
  const vec<std::uint32_t, N> inOrder = lane_index<std::uint32_t, N>() + std::uint32_t(1);
  vec<T, N> neighbours = gather(data.data(), inOrder);
  for (int i = 0; i < N; ++i) expect(same<T>(neighbours[i], data[i + 1]), "gather of neighbours", N, i);
  scatter(target.data(), inOrder, neighbours);
  for (int i = 0; i < N; ++i) expect(same<T>(target[i + 1], data[i + 1]), "scatter to neighbours", N, i);
  if constexpr (N >= 4) { // rows of lanes, in the order of their own
    const vec<std::uint32_t, N> lane = lane_index<std::uint32_t, N>(), within = lane % std::uint32_t(4);
    const vec<std::uint32_t, N> rows = std::uint32_t(N - 4) - (lane - within) + within;
    vec<T, N> moved = gather(data.data(), rows);
    for (int i = 0; i < N; ++i) expect(same<T>(moved[i], data[N - 4 - i / 4 * 4 + i % 4]), "gather of rows", N, i);
    scatter(target.data(), rows, moved);
    for (int i = 0; i < N; ++i) expect(same<T>(target[i], data[i]), "scatter of rows", N, i);
    scatter(target.data(), within, from<T, N>(data));
    for (int i = 0; i < 4; ++i) expect(same<T>(target[i], data[N - 4 + i]), "rows that meet", N, i);
  }
  vec<T, N> reversed = gather(data.data(), vec<int, N>(N - 1) - lane_index<int, N>());
  for (int i = 0; i < N; ++i) expect(same<T>(reversed[i], data[N - 1 - i]), "gather", N, i);
}

/// Elements a number apart, and fields of structs of as many elements: nothing outside of the structs is touched.
template <class T, int N, int Step, int Field> void apart() {
  using namespace tangram;
  const std::vector<T> data = values<T>(N * Step, 9);
  std::vector<T> structs(data); // on the heap: tools see what lies beyond
  const vec<T, N> expected = gather(structs.data() + Field, lane_index<std::uint64_t, N>() * std::uint64_t(Step));
  const vec<T, N> field = load_field<N, Step, Field>(structs.data() + Field),
                  loaded = load_apart<N, Step>(structs.data() + Field),
                  strided = load_strided<N>(structs.data() + Field, Step);
  const vec<bool, N> some = lane_index<unsigned, N>() < vec<unsigned, N>(unsigned(N + 1) / 2);
  const vec<T, N> masked = load_apart<N, Step>(structs.data() + Field, some),
                  backwards = load_strided<N>(structs.data() + (N - 1) * Step + Field, -Step);
  const std::vector<T> exactly(structs.begin() + Field, structs.begin() + Field + (N - 1) * Step + 1);
  const vec<T, N> inside = load_strided<N>(exactly.data(), Step), // tools see what lies beyond
      maskedInside = load_strided<N>(exactly.data(), Step, some);
  for (int i = 0; i < N; ++i) {
    expect(same<T>(field[i], expected[i]), "load of a field", N, i);
    expect(same<T>(loaded[i], expected[i]), "load of elements apart", N, i);
    expect(same<T>(masked[i], some[i] ? expected[i] : T(0)), "masked load of elements apart", N, i);
    expect(same<T>(strided[i], expected[i]), "load with a stride", N, i);
    expect(same<T>(inside[i], expected[i]), "load with a stride", N, i);
    expect(same<T>(backwards[i], expected[N - 1 - i]), "load backwards", N, i);
    expect(same<T>(maskedInside[i], some[i] ? expected[i] : T(0)), "masked load with a stride", N, i);
  }
  std::fill(structs.begin(), structs.end(), T(0));
  store_apart<Step>(structs.data() + Field, expected);
  for (int i = 0; i < N * Step; ++i)
    expect(same<T>(structs[i], i % Step == Field ? data[i] : T(0)), "store of elements apart", N, i);
  std::fill(structs.begin(), structs.end(), T(0));
  store_apart<Step>(structs.data() + Field, expected, some);
  for (int i = 0; i < N * Step; ++i)
    expect(same<T>(structs[i], i % Step == Field && some[i / Step] ? data[i] : T(0)), "masked store of elements apart",
           N, i);
  std::fill(structs.begin(), structs.end(), T(0));
  store_strided(structs.data() + Field, Step, expected, some);
  for (int i = 0; i < N * Step; ++i)
    expect(same<T>(structs[i], i % Step == Field && some[i / Step] ? data[i] : T(0)), "masked store with a stride", N,
           i);
  store_strided(structs.data() + Field, Step, expected);
  for (int i = 0; i < N * Step; ++i)
    expect(same<T>(structs[i], i % Step == Field ? data[i] : T(0)), "store with a stride", N, i);
}
/// Records of as many fields, and of `More` beside them.
template <class T, int N, int More, std::size_t... Field> void records(std::index_sequence<Field...>) {
  using namespace tangram;
  constexpr int fields = sizeof...(Field), step = fields + More;
  const std::vector<T> data = values<T>(N * step, 9);
  std::vector<T> all(data.size(), T(0)), masked(data.size(), T(0));
  const vec<bool, N> some = lane_index<unsigned, N>() < vec<unsigned, N>(unsigned(N + 1) / 2);
  store_fields(all.data(), step, load_strided<N>(data.data() + Field, step)...);
  store_fields(masked.data(), step, some, load_strided<N>(data.data() + Field, step)...);
  for (int i = 0; i < N * step; ++i) {
    expect(same<T>(all[i], i % step < fields ? data[i] : T(0)), "store of records", N, i);
    expect(same<T>(masked[i], i % step < fields && some[i / step] ? data[i] : T(0)), "masked store of records", N, i);
  }
}
template <class T, int N, int Each> void repeated() {
  using namespace tangram;
  const std::vector<T> few = values<T>(N / Each, 9);
  const vec<bool, N> some = lane_index<unsigned, N>() < vec<unsigned, N>(unsigned(N + 1) / 2);
  const vec<T, N> all = load_repeated<N, Each>(few.data()), masked = load_repeated<N, Each>(few.data(), some);
  for (int i = 0; i < N; ++i) {
    expect(same<T>(all[i], few[i / Each]), "load of elements that neighbouring lanes share", N, i);
    expect(same<T>(masked[i], some[i] ? few[i / Each] : T(0)), "masked load of elements that lanes share", N, i);
  }
}
template <class T, int N> void apart() {
  repeated<T, N, 2>(), repeated<T, N, N / 2>(), repeated<T, N, N>();
  records<T, N, 0>(std::make_index_sequence<2>()), records<T, N, 0>(std::make_index_sequence<3>());
  records<T, N, 0>(std::make_index_sequence<4>()), records<T, N, 2>(std::make_index_sequence<3>());
  apart<T, N, 2, 0>(), apart<T, N, 2, 1>();
  apart<T, N, 3, 0>(), apart<T, N, 3, 1>(), apart<T, N, 3, 2>();
  apart<T, N, 4, 0>(), apart<T, N, 4, 1>(), apart<T, N, 4, 2>(), apart<T, N, 4, 3>();
  apart<T, N, 7, 5>();
}

template <int N> void masks() {
  using namespace tangram;
  std::vector<int> a = values<int>(N, 6), b = values<int>(N, 7);
  for (int i = 0; i < N; ++i) {
    a[i] &= 1;
    b[i] &= 1;
  }
  vec<bool, N> ma = maskFrom<N>(a), mb = maskFrom<N>(b);
  int first = -1, last = -1;
  for (int i = 0; i < N; ++i) {
    expect(ma[i] == bool(a[i]), "a mask", N, i);
    expect((ma & mb)[i] == (a[i] && b[i]), "mask &", N, i);
    expect((ma | mb)[i] == (a[i] || b[i]), "mask |", N, i);
    expect((ma ^ mb)[i] == (a[i] != b[i]), "mask ^", N, i);
    expect((!ma)[i] == !a[i], "mask !", N, i);
    expect((ma == mb)[i] == (a[i] == b[i]), "mask ==", N, i);
    expect(convert<float>(ma)[i] == float(a[i]), "mask to float", N, i);
    if (a[i] && first < 0) first = i;
    if (a[i]) last = i;
  }
  expect(any(ma) == (first >= 0), "any", N, 0);
  expect(all(ma | !ma), "all", N, 0);
  expect(!any(ma & !ma), "none", N, 0);
  if (first >= 0) expect(first_lane(ma) == first && last_lane(ma) == last, "first and last lane", N, 0);
  bool flags[N];
  store(flags, ma);
  for (int i = 0; i < N; ++i) expect(flags[i] == bool(a[i]), "store of a mask", N, i);
  expect(all(load<N>(flags) == ma), "load of a mask", N, 0);
}

template <int N> void math() {
  using namespace tangram;
  std::vector<float> a = values<float>(N, 8), b = values<float>(N, 9);
  a[0] = std::numeric_limits<float>::quiet_NaN();
  vec<float, N> va = from<float, N>(a), vb = from<float, N>(b);
  for (int i = 0; i < N; ++i) {
    expect(same(fabsf(va)[i], std::fabs(a[i])), "fabsf", N, i);
    expect(same(fminf(va, vb)[i], std::fmin(a[i], b[i])), "fminf", N, i);
    expect(same(fmaxf(va, vb)[i], std::fmax(a[i], b[i])), "fmaxf", N, i);
    expect(isnan(va)[i] == std::isnan(a[i]), "isnan", N, i);
    expect(isfinite(va)[i] == bool(std::isfinite(a[i])), "isfinite", N, i);
  }
}

template <class T, int N> void number(const char *name) {
  where = name;
  arithmetic<T, N>();
  memory<T, N>();
  conversion<T, int, N>();
  conversion<T, std::uint64_t, N>();
  conversion<T, float, N>();
  conversion<T, double, N>();
  conversion<T, std::uint16_t, N>();
  conversion<T, std::int8_t, N>();
  conversion<T, std::uint8_t, N>();
}
inline int run() {
  number<float, 2>("float");
  number<float, 16>("float");
  number<float, 64>("float");
  number<double, 4>("double");
  number<double, 16>("double");
  number<int, 8>("int");
  number<int, 16>("int");
  number<std::uint32_t, 16>("uint32_t");
  number<std::uint64_t, 2>("uint64_t");
  number<std::uint64_t, 16>("uint64_t");
  number<std::int64_t, 8>("int64_t");
  number<std::int8_t, 16>("int8_t");
  number<std::uint8_t, 64>("uint8_t");
  number<std::int16_t, 32>("int16_t");
  where = "apart";
  apart<float, 16>();
  apart<int, 8>();
  apart<double, 4>();
  apart<std::uint64_t, 16>();
  apart<std::int16_t, 8>();
  where = "bool";
  masks<2>();
  masks<16>();
  masks<64>();
  masks<128>();
  where = "math";
  math<2>();
  math<32>();
  return failures;
}

} // namespace vec_checks
