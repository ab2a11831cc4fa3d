// Numbers of 16 bits: conversions of all of them, and of what lies between neighbours, against double.
#include "tangram/diag/Diagnostic.h"
#include "tangram/runtime/error_analysis.h"
#include "tangram/runtime/vec.h"
#include "tangram/verify/ArgumentSpec.h"
#include "tangram/verify/Compare.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace tangram;
namespace reference = tangram::reference;

namespace {

struct Format {
  int stored, bias; // bits of the mantissa that are stored, bias of the exponent
  float (*widen)(std::uint16_t);
  std::uint16_t (*narrow)(float);
  vec<float, 32> (*widenAll)(const vec<std::uint16_t, 32> &);
  vec<std::uint16_t, 32> (*narrowAll)(const vec<float, 32> &);
  vec<float, 4> (*widenFew)(const vec<std::uint16_t, 4> &);
  vec<std::uint16_t, 4> (*narrowFew)(const vec<float, 4> &);
  int bits() const { return (1 << (15 - stored)) - 1; } // of the exponent
  bool isNan(std::uint16_t h) const { return (h & 0x7fff) > (bits() << stored); }
  /// By its definition.
  double value(std::uint16_t h) const {
    int exponent = (h >> stored) & bits(), mantissa = h & ((1 << stored) - 1);
    double size = exponent == bits() ? (mantissa ? std::nan("") : INFINITY)
                  : exponent == 0    ? std::ldexp(mantissa, 1 - bias - stored)
                                     : std::ldexp(mantissa + (1 << stored), exponent - bias - stored);
    return h & 0x8000 ? -size : size;
  }
};

const Format kFormats[] = {
    {10, 15, tangram_f16_to_f32, tangram_f32_to_f16, tangram_f16_to_f32<32>, tangram_f32_to_f16<32>,
     tangram_f16_to_f32<4>, tangram_f32_to_f16<4>},
    {7, 127, tangram_bf16_to_f32, tangram_f32_to_bf16, tangram_bf16_to_f32<32>, tangram_f32_to_bf16<32>,
     tangram_bf16_to_f32<4>, tangram_f32_to_bf16<4>},
};

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

TEST(Float16, EveryPatternIsWhatItsBitsSay) {
  for (const Format &f : kFormats)
    for (unsigned h = 0; h < 65536; ++h) {
      auto half = static_cast<std::uint16_t>(h);
      double wanted = f.value(half);
      ASSERT_TRUE(same(f.widen(half), wanted)) << h;
      ASSERT_TRUE(same(f.widenAll(vec<std::uint16_t, 32>(half))[h % 32], wanted)) << h;
      ASSERT_TRUE(same(f.widenFew(vec<std::uint16_t, 4>(half))[h % 4], wanted)) << h;
      std::uint16_t back = f.narrow(f.widen(half));
      ASSERT_TRUE(f.isNan(half) ? f.isNan(back) : back == half) << h;
    }
}

TEST(Float16, RoundsToNearestTiesToEven) {
  for (const Format &f : kFormats) {
    auto check = [&](float x, std::uint16_t wanted) {
      EXPECT_EQ(f.narrow(x), wanted) << x;
      EXPECT_EQ(f.narrowAll(vec<float, 32>(x))[7], wanted) << x;
      EXPECT_EQ(f.narrowFew(vec<float, 4>(x))[2], wanted) << x;
    };
    auto infinity = static_cast<std::uint16_t>(f.bits() << f.stored);
    for (std::uint16_t low = 0; low < infinity; ++low) {
      std::uint16_t high = low + 1, sign = low % 3 ? 0 : 0x8000;
      float s = sign ? -1.0f : 1.0f;
      // What the next number would be, if there were one above the greatest.
      double above = high == infinity ? std::ldexp(1.0, f.bits() - f.bias) : f.value(high);
      auto middle = static_cast<float>((f.value(low) + above) / 2); // exact: one more bit
      check(s * middle, (low % 2 ? high : low) | sign);
      check(s * std::nextafter(middle, 0.0f), low | sign);
      check(s * std::nextafter(middle, INFINITY), high | sign);
      if (HasFailure()) return;
    }
    check(INFINITY, infinity);
    check(-INFINITY, infinity | 0x8000);
    check(std::numeric_limits<float>::max(), infinity);
    check(0.0f, 0);
    check(-0.0f, 0x8000);
    EXPECT_TRUE(f.isNan(f.narrow(std::nanf(""))));
    EXPECT_TRUE(f.isNan(f.narrowAll(vec<float, 32>(-std::nanf("")))[31]));
  }
}

/// What type-legalization takes for granted: float rounds operations on two of them to what exact results round to.
TEST(Float16, OperationsInFloatRoundOnce) {
  std::mt19937 random(7);
  for (int i = 0; i < 200000; ++i) {
    auto a = static_cast<std::uint16_t>(random()), b = static_cast<std::uint16_t>(random());
    double x = kFormats[0].value(a), y = kFormats[0].value(b);
    float u = tangram_f16_to_f32(a), v = tangram_f16_to_f32(b);
    // Of f16 sums, differences and products are exact in double, and so is which half a quotient is nearest to.
    auto nearest = [](double exact) {
      if (!std::isfinite(exact)) return tangram_f32_to_f16(static_cast<float>(exact));
      // Rounded to odd: what a float loses, its last bit says.
      auto single = static_cast<float>(exact);
      if (static_cast<double>(single) != exact) {
        if (std::abs(static_cast<double>(single)) > std::abs(exact)) single = std::nextafter(single, 0.0f);
        single = tangram::float16::as_float(tangram::float16::as_bits(single) | 1u);
      }
      return tangram_f32_to_f16(single);
    };
    for (auto [got, exact] : {std::pair(u + v, x + y), {u - v, x - y}, {u * v, x * y}, {u / v, x / y}}) {
      std::uint16_t rounded = tangram_f32_to_f16(got);
      if (kFormats[0].isNan(rounded)) {
        EXPECT_TRUE(std::isnan(exact));
      } else {
        ASSERT_EQ(rounded, nearest(exact)) << x << " " << y;
      }
    }
  }
}

template <class T> class HalfAnalysis : public testing::Test {};
using Halves = testing::Types<tangram_f16, tangram_bf16>;
TYPED_TEST_SUITE(HalfAnalysis, Halves);

TYPED_TEST(HalfAnalysis, RightResultsAreWithinTheBoundAndSmallSumsExact) {
  using T = TypeParam;
  std::mt19937 random(3);
  std::uniform_real_distribution<float> unit(-1, 1);
  for (std::size_t n : {1, 3, 64, 1000}) {
    std::vector<T> x(n);
    for (T &v : x) v = unit(random);
    reference::Real<T> sum = T(0);
    for (T v : x) sum += reference::Real<T>(v) * reference::Real<T>(T(3)); // the product is exact, and then rounded
    for (std::size_t lanes : {1, 2, 16}) {
      std::vector<T> sums(lanes, T(0));
      for (std::size_t i = 0; i < n; ++i) sums[i % lanes] = sums[i % lanes] + static_cast<float>(T(x[i] * 3.0f));
      T all = 0.0f;
      for (T one : sums) all = all + one;
      tangram_reference_element e = reference::describe(sum);
      EXPECT_LE(std::abs(static_cast<double>(all) - e.value), e.bound) << n << " " << lanes;
      EXPECT_LT(e.bound, static_cast<double>(n) * reference::Real<T>::u * 10 * static_cast<double>(n) + 1e-3);
    }
  }
  // As many bits as the type has: no order rounds.
  reference::Real<T> whole = T(0);
  for (int i = 0; i < (1 << reference::Traits<T>::mantissa) - 1; ++i) whole += T(1);
  EXPECT_EQ(reference::describe(whole).bound, 0);
  whole += T(1);
  whole += T(1);
  EXPECT_GT(reference::describe(whole).bound, 0);
  // What a float holds and this type does not is rounded once, and may be off by two units in the last place, as all
  // is.
  reference::Real<T> third(reference::Real<float>(1.0f) / reference::Real<float>(3.0f));
  tangram_reference_element e = reference::describe(third);
  EXPECT_GT(e.bound, reference::Real<T>::u / 4);
  EXPECT_LT(e.bound, 2 * reference::Real<T>::u);
}

TEST(Float16, ValuesHoldAndPrintThem) {
  using namespace tangram::runtime;
  auto made = [](const std::string &spec, tangram_element element, unsigned rank = 1) {
    return makeValue(parseArgumentSpec(spec), "a", element, rank, 1);
  };
  EXPECT_EQ(elementOf("bf16"), TANGRAM_BF16);
  EXPECT_EQ(elementOf(ast::Type::array(1, ast::Scalar::F16)), TANGRAM_F16);
  EXPECT_EQ(bytes(TANGRAM_F16), 2u);
  EXPECT_FALSE(isNumber(TANGRAM_STRUCT));
  EXPECT_EQ(made("0.1,65504,-2,nan", TANGRAM_F16).text(0), "0.1");
  EXPECT_EQ(made("0.1,65504,-2,nan", TANGRAM_F16).real(1), 65504);
  EXPECT_EQ(made("0.1", TANGRAM_F16, 0).real(0), static_cast<double>(tangram_f16(0.1f)));
  EXPECT_EQ(made("3.14159", TANGRAM_BF16, 0).text(0), "3.14");
  EXPECT_THROW(made("1e6", TANGRAM_F16, 0), DiagnosticError);
  EXPECT_EQ(made("1e6", TANGRAM_BF16, 0).text(0), "1e+06");
  Value iota = made("iota:5000", TANGRAM_BF16);
  for (std::uint64_t i = 0; i < iota.count(); ++i) ASSERT_EQ(iota.real(i), static_cast<double>(i % 256));
  Value random = made("random:1000", TANGRAM_F16);
  for (std::uint64_t i = 0; i < random.count(); ++i) ASSERT_LE(std::abs(random.real(i)), 1);
  Value special = made("special:1000", TANGRAM_BF16);
  int strange = 0;
  for (std::uint64_t i = 0; i < special.count(); ++i) strange += !std::isfinite(special.real(i));
  EXPECT_GT(strange, 50);
  makeWhole(random, 1);
  for (std::uint64_t i = 0; i < random.count(); ++i) ASSERT_EQ(std::abs(random.real(i)), random.real(i) != 0);
  Expected expected(made("1,2", TANGRAM_F16), {{{1, 0.001}, {2, 0}}});
  EXPECT_FALSE(compare(made("1,2", TANGRAM_F16), expected));
  EXPECT_FALSE(compare(made("1.0009765625,2", TANGRAM_F16), expected));
  EXPECT_TRUE(compare(made("1.002,2", TANGRAM_F16), expected));
}

} // namespace
