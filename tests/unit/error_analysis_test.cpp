// Numbers that know how far from them right results may be: right ones are never farther, and not much else is near.
#include "tangram/runtime/error_analysis.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

using tangram::reference::call;
using tangram::reference::describe;
using tangram::reference::Real;
namespace reference = tangram::reference;

namespace {

template <class T> bool accepts(const Real<T> &expected, T got) {
  tangram_reference_element e = describe(expected);
  if (std::isinf(e.bound)) return true;
  if (std::isnan(e.value)) return std::isnan(got);
  return static_cast<double>(got) == e.value || std::abs(static_cast<double>(got) - e.value) <= e.bound;
}

template <class T> T treeSum(const std::vector<T> &x, std::size_t from, std::size_t to) {
  if (to - from == 1) return x[from];
  std::size_t middle = from + (to - from) / 2;
  return treeSum(x, from, middle) + treeSum(x, middle, to);
}

template <class T> T stridedSum(const std::vector<T> &x, std::size_t lanes) {
  std::vector<T> sums(lanes, T(0));
  for (std::size_t i = 0; i < x.size(); ++i) sums[i % lanes] += x[i];
  return treeSum(sums, 0, lanes);
}

template <class T> std::vector<T> numbers(std::size_t n, int kind, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<T> unit(-1, 1), positive(0, 1);
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = kind == 0 ? unit(random) : kind == 1 ? positive(random) : kind == 2 ? T(0.1) : std::exp(20 * unit(random));
  return x;
}

// Of whole numbers the sum is exact, and its product is not: alpha * (a + b) and alpha * a + alpha * b are both right.
TEST(ErrorAnalysis, ANumberMayBeAddedToItself) {
  for (const bool whole : {false, true}) {
    Real<float> sum = 0.0f;
    for (float x : numbers<float>(100, 0, 1)) sum += Real<float>(whole ? std::trunc(8 * x) : x);
    const Real<float> other = sum;
    const auto [value, bound] = describe(sum + other);
    sum += sum;
    EXPECT_EQ(describe(sum).value, value);
    EXPECT_EQ(describe(sum).bound, bound);
    EXPECT_EQ(sum.sums, 2 * other.sums + 1);
    sum -= sum;
    EXPECT_EQ(sum.value, 0);
  }
}

TEST(ErrorAnalysisOfFloats, FactorsMayBeDistributedOverExactSums) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> whole(1, 1000);
  for (std::size_t n : {2, 32, 1000, 16000})
    for (int repeat = 0; repeat < 20; ++repeat) {
      const auto alpha = static_cast<float>(2 * whole(random) + 1001), last = 1000.0f;
      Real<float> sum = 0.0f;
      float distributed = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const auto x = i + 1 < n ? static_cast<float>(whole(random)) : last;
        sum += x;
        distributed += alpha * x;
      }
      EXPECT_TRUE(sum.exact());
      const Real<float> stored = sum.settled();
      EXPECT_TRUE(accepts(Real<float>(alpha) * sum, distributed)) << n;
      EXPECT_TRUE(accepts(stored * Real<float>(alpha), distributed)) << n;
      // What forgets one of the largest is not.
      EXPECT_FALSE(accepts(Real<float>(alpha) * sum, distributed - alpha * last)) << n;
    }
  // Small whole numbers are exact in either way.
  EXPECT_TRUE((Real<float>(2) * (Real<float>(3) + Real<float>(4))).exact());
}

template <class T> class ErrorAnalysis : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(ErrorAnalysis, Types);

// What is added to a product of a sum may be added to each of its terms in turn: alpha * (a + b) + c.
TYPED_TEST(ErrorAnalysis, ProductsOfSumsAreSums) {
  using T = TypeParam;
  for (int kind = 0; kind < 4; ++kind)
    for (std::size_t n : {2, 7, 64, 1000})
      for (unsigned repeat = 0; repeat < 50; ++repeat) {
        const std::vector<T> x = numbers<T>(n, kind, static_cast<unsigned>(n) + 1000 * repeat);
        const T alpha = T(0.37) + T(repeat), start = T(0.7) * T(repeat + 1);
        Real<T> sum = T(0);
        T distributed = start;
        for (T v : x) {
          sum += v;
          distributed += alpha * v;
        }
        EXPECT_TRUE(accepts(Real<T>(alpha) * sum + Real<T>(start), distributed)) << kind << " " << n << " " << repeat;
        EXPECT_TRUE(accepts(Real<T>(start) - sum * Real<T>(-alpha), distributed)) << kind << " " << n << " " << repeat;
        // What forgets the largest addend is not right.
        const T largest = *std::max_element(x.begin(), x.end(), [](T a, T b) { return std::abs(a) < std::abs(b); });
        EXPECT_FALSE(accepts(Real<T>(alpha) * sum + Real<T>(start), distributed - alpha * largest)) << kind << " " << n;
      }
}

TYPED_TEST(ErrorAnalysis, SumsInAnyOrderAreAccepted) {
  using T = TypeParam;
  for (int kind = 0; kind < 4; ++kind)
    for (std::size_t n : {1, 2, 7, 64, 1000, 300000}) {
      std::vector<T> x = numbers<T>(n, kind, static_cast<unsigned>(n));
      Real<T> sum = T(0);
      for (T v : x) sum += v;
      T serial = std::accumulate(x.begin(), x.end(), T(0));
      EXPECT_EQ(sum.own, serial);
      EXPECT_TRUE(accepts(sum, serial)) << kind << " " << n;
      EXPECT_TRUE(accepts(sum, std::accumulate(x.rbegin(), x.rend(), T(0)))) << kind << " " << n;
      EXPECT_TRUE(accepts(sum, treeSum(x, 0, n))) << kind << " " << n;
      for (std::size_t lanes : {2, 32, 1000}) EXPECT_TRUE(accepts(sum, stridedSum(x, lanes))) << kind << " " << n;
    }
}

TYPED_TEST(ErrorAnalysis, ASumThatLacksAnElementIsNot) {
  using T = TypeParam;
  for (std::size_t n : {2, 100, 10000}) {
    std::vector<T> x = numbers<T>(n, 0, 3);
    x[0] = T(0.5);
    Real<T> sum = T(0);
    for (T v : x) sum += v;
    EXPECT_FALSE(accepts(sum, treeSum(x, 1, n))) << n;
  }
}

TYPED_TEST(ErrorAnalysis, WholeNumbersAreExact) {
  using T = TypeParam;
  std::mt19937 random(1);
  Real<T> sum = T(0);
  T plain = 0;
  for (int i = 0; i < 1000000; ++i) {
    T a = T(int(random() % 5) - 2), b = T(int(random() % 5) - 2);
    sum += Real<T>(a) * b;
    plain += a * b;
  }
  EXPECT_TRUE(sum.exact());
  EXPECT_TRUE(accepts(sum, plain));
  EXPECT_FALSE(accepts(sum, plain + 1));
  // Nor is much more allowed when something small is added in the end.
  EXPECT_FALSE(accepts(sum + T(1e-3), plain + 1));
  // Halves are, too; what the type does not hold is not.
  EXPECT_TRUE((Real<T>(T(3)) * Real<T>(T(0.5)) - Real<T>(T(0.25))).exact());
  Real<T> large = std::ldexp(T(1), std::numeric_limits<T>::digits);
  EXPECT_FALSE((large + Real<T>(T(1))).exact());
  // Addends of one sign alone are added up in no order to more than they are.
  const Real<T> half = std::ldexp(T(1), std::numeric_limits<T>::digits - 1) - T(1);
  EXPECT_TRUE((half - half + half).exact());
  EXPECT_TRUE(((half - half + half) * Real<T>(T(-1))).exact());
  EXPECT_FALSE((half - half + half + half).exact());
  EXPECT_FALSE((half - half + half - half - half).exact());
  EXPECT_TRUE((Real<T>(T(6)) / Real<T>(T(3))).exact());
  EXPECT_FALSE((Real<T>(T(1)) / Real<T>(T(3))).exact());
}

TYPED_TEST(ErrorAnalysis, WholeNumbersThatTheTypeDoesNotHoldAreSumsOfMany) {
  using T = TypeParam;
  const T limit = std::ldexp(T(1), std::numeric_limits<T>::digits), part = limit / T(1 << 16);
  Real<T> sum = T(0);
  for (int i = 1; i < 1 << 16; ++i) sum += part;
  EXPECT_TRUE(sum.exact());
  sum += part;
  // From here on ones are lost one by one, or add up to something first.
  for (int i = 0; i < 9; ++i) sum += T(1);
  EXPECT_FALSE(sum.exact());
  EXPECT_TRUE(accepts(sum, limit));
  EXPECT_TRUE(accepts(sum, limit + T(9)));
  EXPECT_FALSE(accepts(sum, limit - part));
}

TYPED_TEST(ErrorAnalysis, ElementwiseResultsAreWithinAFewUlps) {
  using T = TypeParam;
  std::mt19937 random(2);
  std::uniform_real_distribution<T> unit(T(0.1), 1);
  for (int i = 0; i < 1000; ++i) {
    T x = unit(random), y = unit(random);
    Real<T> r = Real<T>(x) * y + Real<T>(x) / y;
    tangram_reference_element e = describe(r);
    EXPECT_LT(e.bound, 8 * std::numeric_limits<T>::epsilon() * std::abs(e.value));
    EXPECT_TRUE(accepts(r, static_cast<T>(x * y + x / y)));
    EXPECT_TRUE(accepts(r, std::fma(x, y, x / y)));
    EXPECT_FALSE(accepts(r, static_cast<T>(x * y + x / y + 20 * std::numeric_limits<T>::epsilon() * e.value)));
  }
}

TYPED_TEST(ErrorAnalysis, FunctionsCarryWhatTheirArgumentsMayBe) {
  using T = TypeParam;
  Real<T> sum = T(0);
  T plain = 0;
  for (int i = 1; i < 1000; ++i) {
    sum += Real<T>(T(1)) / T(i);
    plain += 1 / T(i);
  }
  EXPECT_TRUE(accepts(reference::exp(sum), std::exp(plain)));
  EXPECT_TRUE(accepts(reference::sin(sum), std::sin(plain)));
  EXPECT_TRUE(accepts(reference::sqrt(sum), std::sqrt(plain)));
  EXPECT_TRUE(accepts(reference::pow(sum, Real<T>(T(2.5))), std::pow(plain, T(2.5))));
  EXPECT_TRUE(accepts(reference::fmax(sum, Real<T>(T(1))), plain));
  EXPECT_FALSE(accepts(reference::exp(sum), std::exp(plain) * T(1.01)));
  EXPECT_TRUE(reference::floor(Real<T>(T(2.5))).exact());
}

// What is added again and again is off by as much in the end, whatever is done with it then.
TYPED_TEST(ErrorAnalysis, RoundingsWithACommonCauseAreKnownOfAllThatASumGoesInto) {
  using T = TypeParam;
  for (std::size_t n : {1000, 100000}) {
    std::vector<T> x = numbers<T>(n, 2, 1);
    Real<T> sum = T(0);
    T plain = 0;
    for (T v : x) {
      sum += v;
      plain += v;
    }
    T tree = treeSum(x, 0, n);
    for (const Real<T> &s : {sum, sum.settled()})
      for (T got : {plain, tree}) {
        EXPECT_TRUE(accepts(s, got)) << n;
        EXPECT_TRUE(accepts(Real<T>(T(1)) / s, T(1) / got)) << n;
        EXPECT_TRUE(accepts(Real<T>(T(1)) / (T(2) * s.settled()).settled(), T(1) / (T(2) * got))) << n;
        EXPECT_TRUE(accepts(s * T(0.3) + T(7), got * T(0.3) + T(7))) << n;
        EXPECT_TRUE(accepts(reference::sqrt(s), std::sqrt(got))) << n;
        EXPECT_TRUE(accepts(reference::pow(s, Real<T>(T(1.5))), std::pow(got, T(1.5)))) << n;
        EXPECT_TRUE(accepts(reference::sin(s), std::sin(got))) << n;
        EXPECT_TRUE(accepts(reference::fmax(s, Real<T>(T(1))), got)) << n;
        EXPECT_TRUE(accepts(static_cast<Real<T>>(s - T(1)), got - T(1))) << n;
      }
    EXPECT_FALSE(accepts(sum.settled(), static_cast<T>(plain * T(1.1)))) << n;
    // Within the worst case, which what is added does not exceed.
    EXPECT_LE(describe(sum.settled()).bound, describe(sum).bound * 1.01);
  }
}

// A number is rounded alike each time it is added to partial sums of about a size, so with a few that are drawn again
// and again: such roundings do not average out.
TYPED_TEST(ErrorAnalysis, RoundingsOfFewNumbersAddUp) {
  using T = TypeParam;
  std::mt19937 random(5);
  for (std::size_t kinds : {1, 2, 3, 10, 100})
    for (std::size_t n : {32, 100, 1000, 10000})
      for (std::size_t repeat = 0; repeat < 200000 / n; ++repeat) {
        const std::vector<T> table = numbers<T>(kinds, 1, static_cast<unsigned>(random()));
        std::vector<T> x(n);
        for (T &v : x) v = table[random() % kinds];
        Real<T> sum = T(0);
        for (T v : x) sum += v;
        for (std::size_t lanes : {1, 2, 4, 8, 16, 100})
          EXPECT_TRUE(accepts(sum, stridedSum(x, std::min(lanes, n)))) << kinds << " " << n << " " << lanes;
      }
  // Of many, a bound near what they may be off by is kept.
  const std::vector<T> x = numbers<T>(10000, 1, 6);
  Real<T> sum = T(0);
  for (T v : x) sum += v;
  EXPECT_LT(sum.bound(), 0.15 * sum.worstCase());
}

// Of a loop that a comparison of such numbers ends, answers by yes and by no are the longest and the shortest run.
TYPED_TEST(ErrorAnalysis, LoopsThatRoundingsEndHaveALongestAndAShortestRun) {
  using T = TypeParam;
  auto steps = [](auto cx, auto cy, int limit) {
    decltype(cx) x = T(0), y = T(0);
    int n = 0;
    while (n < limit && x * x + y * y <= decltype(cx)(T(4))) {
      decltype(cx) next = x * x - y * y + cx;
      y = decltype(cx)(T(2)) * x * y + cy;
      x = next;
      ++n;
    }
    return n;
  };
  const int limit = 200;
  int open = 0;
  for (int i = 0; i < 60; ++i)
    for (int j = 0; j < 60; ++j) {
      const T cx = T(-2) + T(j) * T(0.05), cy = T(-1.5) + T(i) * T(0.05);
      auto by = [&](std::uint64_t answers) {
        call = {answers};
        const int n = steps(Real<T>(cx), Real<T>(cy), limit);
        return std::pair(n, call.undecided > 0);
      };
      const auto [own, undecided] = by(reference::Call::Own);
      EXPECT_EQ(own, steps(cx, cy, limit));
      const int longest = by(reference::Call::Yes).first, shortest = by(reference::Call::No).first;
      if (!undecided) {
        EXPECT_EQ(longest, shortest);
      }
      EXPECT_LE(shortest, own);
      EXPECT_LE(own, longest);
      // As with c that is off by a rounding.
      const int other = steps(cx * (1 + std::numeric_limits<T>::epsilon() / 2), cy, limit);
      open += undecided;
      EXPECT_TRUE(undecided || other == own);
    }
  EXPECT_GT(open, 0);
  EXPECT_LT(open, 60 * 60 / 2);
  // A loop that would never end does, as answers are drawn then.
  call = {reference::Call::Yes, 1000};
  Real<T> third = Real<T>(T(1)) / T(3), one = third + third + third;
  int turns = 0;
  while (one <= Real<T>(T(1))) ++turns;
  EXPECT_GE(turns, 1000);
  call = {};
}

// The first of two additions may be that of the larger number.
TYPED_TEST(ErrorAnalysis, BoundsOfFewAdditionsHoldInEveryOrder) {
  using T = TypeParam;
  std::mt19937 random(9);
  std::uniform_real_distribution<T> unit(0, 1);
  const T u = std::numeric_limits<T>::epsilon() / 2;
  for (int i = 0; i < 100000; ++i) {
    std::vector<T> x{std::ldexp(unit(random), -static_cast<int>(random() % 12)), unit(random), unit(random)};
    Real<T> sum = x[0];
    for (int k : {1, 2}) sum = (sum + x[static_cast<std::size_t>(k)]);
    std::sort(x.begin(), x.end());
    do EXPECT_TRUE(accepts(sum, (x[0] + x[1]) + x[2]));
    while (std::next_permutation(x.begin(), x.end()));
  }
  Real<T> three = Real<T>(T(0)) + T(0.1) + T(0.5) + T(0.4);
  EXPECT_GE(three.bound(), static_cast<double>(u) * 1.9);
  EXPECT_LE(three.bound(), static_cast<double>(u) * 2.1);
  // An element that it is added to, twice, each time in memory.
  std::vector<T> memory{T(0.5)};
  reference::shadow<T>.clear();
  reference::Pointer<T> p(memory.data());
  p[0] += T(0.01);
  p[0] += T(0.49);
  EXPECT_GE(p[0].bound(), static_cast<double>(u) * 1.9);
  reference::shadow<T>.clear();
}

TYPED_TEST(ErrorAnalysis, SpecialValues) {
  using T = TypeParam;
  T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  EXPECT_TRUE(accepts(Real<T>(inf) + T(1), inf));
  EXPECT_FALSE(accepts(Real<T>(inf) + T(1), T(1)));
  EXPECT_TRUE(accepts(Real<T>(inf) - Real<T>(inf), nan));
  EXPECT_FALSE(accepts(Real<T>(inf) - Real<T>(inf), T(0)));
  EXPECT_TRUE(accepts(Real<T>(nan) + T(1), nan));
  // What overflows in one order need not in another.
  T most = std::numeric_limits<T>::max();
  Real<T> sum = Real<T>(most) + most - Real<T>(most);
  EXPECT_TRUE(accepts(sum, most));
  EXPECT_TRUE(accepts(sum, inf));
  // Subnormal results may be flushed.
  EXPECT_TRUE(accepts(Real<T>(std::numeric_limits<T>::min()) * T(0.3), T(0)));
}

TYPED_TEST(ErrorAnalysis, WhatRoundingsMayTurnIntoANumberMayBeAnything) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  auto anything = [&](const Real<T> &x) { return accepts(x, inf) && accepts(x, nan) && accepts(x, T(17)); };
  auto only = [&](const Real<T> &x, T wanted) {
    return accepts(x, wanted) && !accepts(x, T(17)) && accepts(x, nan) == std::isnan(wanted) &&
           accepts(x, -inf) == (wanted == -inf);
  };
  // A variance of nothing, give or take a rounding, and its root and reciprocal.
  const Real<T> third = Real<T>(1) / Real<T>(3), none = third * third - Real<T>(third.own) * Real<T>(third.own);
  const Real<T> near = none - none;
  ASSERT_FALSE(near.exact());
  EXPECT_TRUE(anything(Real<T>(1) / near));
  EXPECT_TRUE(anything(sqrt(near - Real<T>(std::numeric_limits<T>::min()))));
  EXPECT_TRUE(anything(log(near)));
  EXPECT_TRUE(anything(Real<T>(0) * (Real<T>(1) / near)));
  EXPECT_TRUE(anything(fmax(Real<T>(1), sqrt(near - Real<T>(1e-30f)))));
  EXPECT_TRUE(anything(near / near));
  // Roundings elsewhere change nothing about what is divided by zero.
  EXPECT_TRUE(only(third / Real<T>(0), inf));
  EXPECT_TRUE(only(third / Real<T>(0) + third, inf));
  EXPECT_TRUE(only(-third / Real<T>(0) * third, -inf));
  EXPECT_TRUE(only(sqrt(-third), nan));
  EXPECT_TRUE(only(sqrt(-third) * near, nan));
  EXPECT_TRUE(only(sin(third / Real<T>(0)), nan));
  EXPECT_TRUE(only(log(Real<T>(0)) * third, -inf));
  EXPECT_TRUE(only(hypot(Real<T>(inf), third), inf));
  EXPECT_TRUE(accepts(third / (third / Real<T>(0)), T(0)));
  EXPECT_FALSE(accepts(third / (third / Real<T>(0)), T(17)));
  // Whole powers of two that the type does not hold.
  const T large = std::ldexp(T(1), std::numeric_limits<T>::max_exponent - 1);
  EXPECT_TRUE(accepts(Real<T>(large) * Real<T>(large), inf));
  EXPECT_TRUE(accepts(Real<T>(large) + Real<T>(large), inf));
  // Questions about them are undecided.
  call = {};
  std::ignore = reference::isnan(sqrt(near - Real<T>(std::numeric_limits<T>::min())));
  EXPECT_EQ(call.undecided, 1u);
  std::ignore = reference::isnan(sqrt(-third));
  EXPECT_EQ(call.undecided, 1u);
}

TYPED_TEST(ErrorAnalysis, WhatRoundingsDecideIsCounted) {
  using T = TypeParam;
  call = {};
  Real<T> third = Real<T>(T(1)) / T(3), one = third + third + third;
  EXPECT_TRUE(Real<T>(T(1)) < Real<T>(T(2)));
  EXPECT_TRUE(third < one);
  EXPECT_EQ(call.undecided, 0u);
  bool natural = one < Real<T>(T(1));
  int whole = static_cast<int>(one);
  EXPECT_EQ(call.undecided, 2u);
  call = {reference::Call::Turned};
  EXPECT_NE(one < Real<T>(T(1)), natural);
  EXPECT_NE(static_cast<int>(one), whole);
  call = {};
}

TYPED_TEST(ErrorAnalysis, OneOfTwoNumbersIsNoDecision) {
  using T = TypeParam;
  call = {};
  Real<T> third = Real<T>(T(1)) / T(3), one = third + third + third;
  const Real<T> most = reference::oneOf<std::less<>, false>(one, Real<T>(T(1)));
  EXPECT_TRUE(accepts(most, T(1)));
  EXPECT_TRUE(accepts(most, one.own));
  EXPECT_FALSE(accepts(most, T(2)));
  EXPECT_FALSE(accepts(most, T(1) / T(2)));
  EXPECT_EQ(call.undecided, 0u);
  // Which one it is, is decided where one may be none.
  reference::oneOf<std::less<>, false>(one, Real<T>(std::numeric_limits<T>::quiet_NaN()));
  EXPECT_EQ(call.undecided, 1u);
  const T none = std::numeric_limits<T>::quiet_NaN();
  EXPECT_EQ((reference::oneOf<std::greater_equal<>, true>(Real<T>(T(3)), Real<T>(T(2)))).value, 3);
  EXPECT_EQ((reference::oneOf<std::less_equal<>, true>(Real<T>(T(3)), Real<T>(T(2)))).value, 2);
  EXPECT_NE((reference::oneOf<std::less<>, true>(Real<T>(T(3)), Real<T>(none))).value, 3);
  call = {};
}

// A recurrence that forgets is no farther off after many steps than after a few.
TYPED_TEST(ErrorAnalysis, ProductsOfSumsAreOneNumber) {
  using T = TypeParam;
  const std::vector<T> x = numbers<T>(4096, 0, 5);
  const T alpha = T(0.125);
  Real<T> average = T(0);
  T other = 0;
  for (T v : x) {
    average = Real<T>(alpha) * Real<T>(v) + (Real<T>(T(1)) - Real<T>(alpha)) * average;
    other += alpha * (v - other);
  }
  EXPECT_TRUE(accepts(average, other));
  EXPECT_LT(describe(average).bound, 1000 * Real<T>::u);
}

// Steps of time change no order, sums in memory do.
TYPED_TEST(ErrorAnalysis, WhatIsStoredAsLateIsOneNumber) {
  using T = TypeParam;
  const std::vector<T> x = numbers<T>(4096, 0, 6);
  Real<T> place = T(0), velocity = T(1), sum = T(0);
  for (int step = 0; step < 16; ++step) {
    velocity = (velocity - Real<T>(T(0.5)) * place).settled();
    place = (place + Real<T>(T(0.5)) * velocity).settled();
  }
  for (T v : x) sum = (sum + Real<T>(v)).settled();
  EXPECT_LT(velocity.magnitude, 10); // 800 if addends were added up
  EXPECT_GT(sum.magnitude, 1000);
}

TYPED_TEST(ErrorAnalysis, MemoryKeepsWhatIsKnownOfElements) {
  using T = TypeParam;
  std::vector<T> memory(5000, T(2));
  reference::Pointer<T> p(memory.data());
  reference::Pointer<const T> read = p;
  EXPECT_TRUE(read[4000].exact());
  p[4000] = Real<T>(T(1)) / T(3);
  EXPECT_FALSE(read[4000].exact());
  EXPECT_EQ((read + 3999)[1].own, T(1) / T(3));
  EXPECT_EQ(memory[4000], T(2));
  reference::shadow<T>.flush();
  EXPECT_EQ(memory[4000], T(1) / T(3));
  reference::shadow<T>.clear();
  EXPECT_TRUE(read[4000].exact());
}

// z[k] += x * 0.5: each sum below is exact in this order, and in another one, by parts from zero, it is not.
TEST(ErrorAnalysisOfFloats, SumsThatAreExactByChanceMayBeRoundedInAnotherOrder) {
  const float first = -0.65716094f;
  const std::vector<double> x = {0.9010869f * 0.5, 0.35215753f * 0.5};
  Real<float> place = first;
  float parts = 0;
  for (const double v : x) {
    place = Real<float>(Real<double>(place) + Real<double>(v)).settled();
    parts = static_cast<float>(parts + v);
  }
  EXPECT_NE(first + parts, place.own);
  EXPECT_TRUE(accepts(place, first + parts));
  // Whole numbers are exact in any order.
  Real<float> whole = 3.0f;
  for (const double v : {5.0, -7.0, 1000.0}) whole = Real<float>(Real<double>(whole) + Real<double>(v)).settled();
  EXPECT_TRUE(whole.exact());
}

} // namespace
