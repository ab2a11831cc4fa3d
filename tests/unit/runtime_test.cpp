// Values, argument specs, comparison, timing, shapes, child processes, kernel libraries.
#include "tangram/ast/Build.h"
#include "tangram/diag/Diagnostic.h"
#include "tangram/process/Children.h"
#include "tangram/verify/ArgumentSpec.h"
#include "tangram/verify/Compare.h"
#include "tangram/verify/KernelLibrary.h"
#include "tangram/verify/Shapes.h"
#include "tangram/verify/Timing.h"

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <thread>
#include <unistd.h>

using namespace tangram;
using namespace tangram::runtime;

namespace {

template <class F> std::string idOf(F &&f) {
  try {
    f();
  } catch (const DiagnosticError &e) {
    EXPECT_FALSE(e.diagnostic.message.empty());
    EXPECT_FALSE(e.diagnostic.advice.empty());
    return e.diagnostic.id;
  }
  return "";
}

std::filesystem::path temporary(const std::string &name, const std::string &text) {
  std::filesystem::path path = std::filesystem::temp_directory_path() / fmt::format("tangram-{}-{}", getpid(), name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

Value made(const std::string &spec, tangram_element element, unsigned rank) {
  return makeValue(parseArgumentSpec(spec), "a", element, rank, 1);
}

} // namespace

// ---- values --------------------------------------------------------------------------------------------

TEST(Value, ArrayArgumentDescribesRowsWithPadding) {
  Value v = Value::array(TANGRAM_F32, {3, 5}, {.padding = 2, .shift = 1});
  auto *a = static_cast<tangram_array *>(v.argument());
  EXPECT_EQ(a->size[0], 3u);
  EXPECT_EQ(a->size[1], 5u);
  EXPECT_EQ(a->stride[0], 7u);
  EXPECT_EQ(a->stride[1], 1u);
  v.setReal(5, 2.5);
  EXPECT_EQ(static_cast<float *>(a->data)[7], 2.5f);
  EXPECT_EQ(v.index(7), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(v.strayWrite(), "");
}

TEST(Value, ScalarArgumentPointsToIt) {
  Value v = Value::scalar(TANGRAM_I64);
  v.setInteger(0, -7);
  EXPECT_EQ(*static_cast<std::int64_t *>(v.argument()), -7);
  EXPECT_EQ(v.text(0), "-7");
}

TEST(Value, StrayWritesAreFound) {
  Value v = Value::array(TANGRAM_I32, {2, 3}, {.padding = 1, .shift = 0});
  auto *data = static_cast<std::int32_t *>(v.data());
  data[3] = 9; // between the rows
  EXPECT_NE(v.strayWrite().find("between row 0 and row 1"), std::string::npos);
  Value behind = Value::array(TANGRAM_U8, {10});
  static_cast<std::uint8_t *>(behind.data())[10] = 0;
  EXPECT_NE(behind.strayWrite().find("behind"), std::string::npos);
  Value before = Value::array(TANGRAM_F64, {1});
  static_cast<double *>(before.data())[-1] = 0;
  EXPECT_NE(before.strayWrite().find("before"), std::string::npos);
  EXPECT_EQ(Value::array(TANGRAM_F64, {0}).strayWrite(), "");
  EXPECT_EQ(Value::array(TANGRAM_F64, {0, 4}, {3, 1}).strayWrite(), "");
}

// out[n] = in[n], and out[n] = out[n + 1]: what lies around elements differs from value to value, and from place to
// place.
TEST(Value, StrayWritesOfWhatIsReadAroundAnotherValueAreFound) {
  for (tangram_element element : {TANGRAM_F32, TANGRAM_F64, TANGRAM_I32, TANGRAM_I16, TANGRAM_U64}) {
    Value in = Value::array(element, {40}), out = Value::array(element, {40});
    const std::size_t bytes = out.type().bytes;
    auto *behind = static_cast<std::byte *>(out.data()) + 40 * bytes;
    std::memcpy(behind, static_cast<std::byte *>(in.data()) + 40 * bytes, bytes);
    EXPECT_NE(out.strayWrite(), "") << element;
    Value same = Value::array(element, {40});
    behind = static_cast<std::byte *>(same.data()) + 40 * bytes;
    std::memcpy(behind, behind + bytes, bytes);
    EXPECT_NE(same.strayWrite(), "") << element;
    EXPECT_EQ(same.copy().strayWrite() != "", true) << element;
  }
}

TEST(Value, WhatIsReadAroundItIsNoNumber) {
  Value f = Value::array(TANGRAM_F32, {2, 3}, {.padding = 1, .shift = 1});
  for (std::ptrdiff_t i : {-1, 3, 7}) EXPECT_TRUE(std::isnan(static_cast<float *>(f.data())[i])) << i;
  Value d = Value::array(TANGRAM_F64, {5}, {.padding = 0, .shift = 1});
  for (std::ptrdiff_t i : {-1, 5}) EXPECT_TRUE(std::isnan(static_cast<double *>(d.data())[i])) << i;
  for (tangram_element element : {TANGRAM_F16, TANGRAM_BF16}) {
    Value h = Value::array(element, {5});
    std::uint16_t bits = 0;
    std::memcpy(&bits, static_cast<std::byte *>(h.data()) + 10, sizeof bits);
    const int exponent = element == TANGRAM_F16 ? 0x7c00 : 0x7f80;
    EXPECT_TRUE((bits & exponent) == exponent && (bits & ~exponent & 0x7fff)) << int(element);
  }
}

TEST(Value, SizesThatOverflowAreRefused) {
  std::uint64_t big = 1ull << 40;
  EXPECT_THROW(Value::array(TANGRAM_F64, {big, big}), std::bad_alloc);
  EXPECT_THROW(Value::array(TANGRAM_F64, {std::numeric_limits<std::uint64_t>::max()}), std::bad_alloc);
}

TEST(Value, ElementTypesHaveNames) {
  for (int e = TANGRAM_BOOL; e <= TANGRAM_BF16; ++e) {
    if (!isNumber(e)) continue;
    auto element = static_cast<tangram_element>(e);
    EXPECT_EQ(elementOf(runtime::name(element)), element);
    EXPECT_EQ(elementOf(*ast::Type::parse(std::string(runtime::name(element)))), element);
  }
  EXPECT_FALSE(elementOf("f8"));
  EXPECT_FALSE(elementOf("struct"));
  EXPECT_FALSE(elementOf(ast::Type(ast::Scalar::Void)));
}

// ---- argument specs ------------------------------------------------------------------------------------

TEST(ArgumentSpec, SizesCountBinary) {
  EXPECT_EQ(parseSize("16M"), 16u << 20);
  EXPECT_EQ(parseSize("512K"), 512u << 10);
  EXPECT_EQ(parseSize("3G"), 3ull << 30);
  EXPECT_EQ(parseSize("0"), 0u);
  for (const char *bad : {"", "M", "-1", "1m", "1MB", "1.5M", "99999999999999999999", "18446744073709551615K", "1 "})
    EXPECT_FALSE(parseSize(bad)) << bad;
}

TEST(ArgumentSpec, Forms) {
  EXPECT_EQ(made("random:4Kx8", TANGRAM_F32, 2).sizes(), (std::vector<std::uint64_t>{4096, 8}));
  EXPECT_EQ(made("iota:5", TANGRAM_I32, 1).integer(4), 4);
  EXPECT_EQ(made("ones:3", TANGRAM_F64, 1).real(2), 1);
  EXPECT_EQ(made("zeros:3", TANGRAM_U8, 1).integer(2), 0);
  EXPECT_EQ(made("3.5", TANGRAM_F32, 0).real(0), 3.5);
  EXPECT_EQ(made("-128", TANGRAM_I8, 0).integer(0), -128);
  EXPECT_EQ(made("18446744073709551615", TANGRAM_U64, 0).text(0), "18446744073709551615");
  EXPECT_EQ(made("1,2,3", TANGRAM_I32, 1).integer(1), 2);
  EXPECT_EQ(made("7", TANGRAM_I32, 1).count(), 1u);
  EXPECT_EQ(made("true", TANGRAM_BOOL, 0).integer(0), 1);
  Value r = made("random:10K", TANGRAM_F32, 1);
  double least = 1, most = -1;
  for (std::uint64_t i = 0; i < r.count(); ++i) {
    least = std::min(least, r.real(i));
    most = std::max(most, r.real(i));
  }
  EXPECT_GE(least, -1);
  EXPECT_LE(most, 1);
  EXPECT_LT(least, -0.9);
  EXPECT_GT(most, 0.9);
}

TEST(ArgumentSpec, RandomNumbersMayHaveARange) {
  auto ends = [](const Value &v) {
    double least = v.real(0), most = v.real(0);
    for (std::uint64_t i = 0; i < v.count(); ++i) {
      least = std::min(least, v.real(i));
      most = std::max(most, v.real(i));
    }
    return std::pair(least, most);
  };
  auto [least, most] = ends(made("random:0.5..2:10K", TANGRAM_F32, 1));
  EXPECT_GE(least, 0.5);
  EXPECT_LT(least, 0.6);
  EXPECT_GT(most, 1.9);
  EXPECT_LE(most, 2);
  EXPECT_EQ(ends(made("random:1..6:1000", TANGRAM_I32, 1)), std::pair(1.0, 6.0));
  EXPECT_EQ(ends(made("random:-3..-1:1000", TANGRAM_I8, 1)), std::pair(-3.0, -1.0));
  EXPECT_EQ(ends(made("random:7..7:1000", TANGRAM_F64, 1)), std::pair(7.0, 7.0));
  EXPECT_EQ(ends(made("random:2K..2K:10x10", TANGRAM_U32, 2)), std::pair(2048.0, 2048.0));
  EXPECT_EQ(made("random:1..1", TANGRAM_F32, 0).real(0), 1);
  EXPECT_GT(made("random:-1e300..1e308:10", TANGRAM_F64, 1).real(0), -1e300);
  EXPECT_TRUE(parseArgumentSpec("random:0..1").leavesSizes());
  EXPECT_EQ(parseArgumentSpec("special:0..1:10").sizes, std::vector<std::uint64_t>{10});

  // Whole numbers in the place of these have the same signs.
  Value positive = made("random:0.5..2:1000", TANGRAM_F32, 1), negative = made("random:-2..-1:1000", TANGRAM_F32, 1);
  for (const WholePass &pass : {WholePass{0}, WholePass{1, 1000}, WholePass{2, 1000, true}}) {
    Value p = positive.copy(), n = negative.copy();
    makeWhole(p, 1, pass);
    makeWhole(n, 1, pass);
    EXPECT_GE(ends(p).first, 1);
    EXPECT_LE(ends(n).second, -1);
    ArgumentContext context;
    context.whole = true;
    context.pass = pass;
    p = makeValue(parseArgumentSpec("random:0.5..2:1000"), "a", TANGRAM_F32, 1, 1, context);
    EXPECT_GE(ends(p).first, 1);
    EXPECT_EQ(p.real(7), std::trunc(p.real(7)));
  }

  // So have those in the place of numbers that are written out: an epsilon stays above zero.
  for (const auto &[text, signs] : {std::pair("0.00001", Signs::Positive),
                                    {"0,1.5", Signs::NotNegative},
                                    {"-2,-1", Signs::Negative},
                                    {"0,-1", Signs::NotPositive},
                                    {"1,-1", Signs::Any},
                                    {"0", Signs::Any},
                                    {"1,nan", Signs::Any}})
    EXPECT_EQ(parseArgumentSpec(text).signs(), signs) << text;
  Value factor = made("3", TANGRAM_F32, 0);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    makeWhole(factor, seed);
    EXPECT_GE(factor.real(0), 1);
  }
  // A share stays one.
  for (const auto &[text, power] : {std::pair("0.00001", 0x1p-17), {"0.95", 0.5}, {"-1.5", -1.0}, {"0.5", 0.5}}) {
    Value share = made(text, TANGRAM_F32, 0);
    makeWhole(share, 1);
    EXPECT_EQ(share.real(0), power) << text;
  }

  EXPECT_EQ(idOf([] { parseArgumentSpec("random:1..:4"); }), "argument.bad-range");
  EXPECT_EQ(idOf([] { parseArgumentSpec("random:2..1:4"); }), "argument.bad-range");
  EXPECT_EQ(idOf([] { parseArgumentSpec("random:0..inf:4"); }), "argument.bad-range");
  EXPECT_EQ(idOf([] { parseArgumentSpec("random:a..1:4"); }), "argument.bad-range");
  EXPECT_EQ(idOf([] { parseArgumentSpec("iota:0..1"); }), "argument.bad-sizes");
  EXPECT_EQ(idOf([] { made("random:-1..5:4", TANGRAM_U8, 1); }), "argument.range");
  EXPECT_EQ(idOf([] { made("random:0..256:4", TANGRAM_U8, 1); }), "argument.range");
  EXPECT_EQ(idOf([] { made("random:0.1..0.9:4", TANGRAM_I32, 1); }), "argument.range");
}

TEST(ArgumentSpec, SizesMayBeLeftToTheCaller) {
  Value bytes = made("random:64K", TANGRAM_U8, 1), small = made("random:64K", TANGRAM_I8, 1);
  std::set<std::int64_t> seen, seenSigned;
  for (std::uint64_t i = 0; i < bytes.count(); ++i) {
    seen.insert(bytes.integer(i));
    seenSigned.insert(small.integer(i));
  }
  EXPECT_EQ(seen.size(), 256u);
  EXPECT_EQ(seenSigned.size(), 256u);
  EXPECT_TRUE(parseArgumentSpec("random").leavesSizes());
  EXPECT_TRUE(parseArgumentSpec("index:x").leavesSizes());
  EXPECT_FALSE(parseArgumentSpec("index:x:5").leavesSizes());
  EXPECT_FALSE(parseArgumentSpec("1,2").leavesSizes());
  EXPECT_FALSE(parseArgumentSpec("a.raw").leavesSizes());
  ArgumentContext context;
  context.sizes = {3, 4};
  EXPECT_EQ(makeValue(parseArgumentSpec("ones"), "a", TANGRAM_F32, 2, 1, context).sizes(), context.sizes);
  EXPECT_EQ(makeValue(parseArgumentSpec("ones:2x2"), "a", TANGRAM_F32, 2, 1, context).count(), 4u);
}

TEST(ArgumentSpec, IndicesAreBelowTheirBound) {
  ArgumentContext context;
  context.bound = 5;
  Value v = makeValue(parseArgumentSpec("index:x:1000"), "a", TANGRAM_U32, 1, 1, context);
  std::set<std::int64_t> seen;
  for (std::uint64_t i = 0; i < v.count(); ++i) seen.insert(v.integer(i));
  EXPECT_EQ(seen, (std::set<std::int64_t>{0, 1, 2, 3, 4}));
  context.bound = 1000; // more than the type holds
  v = makeValue(parseArgumentSpec("index:x:1000"), "a", TANGRAM_I8, 1, 1, context);
  for (std::uint64_t i = 0; i < v.count(); ++i) EXPECT_GE(v.integer(i), 0);
  context.bound = 0;
  EXPECT_EQ(makeValue(parseArgumentSpec("index:x:0"), "a", TANGRAM_U32, 1, 1, context).count(), 0u);
  EXPECT_EQ(idOf([&] { makeValue(parseArgumentSpec("index:x:1"), "a", TANGRAM_U32, 1, 1, context); }),
            "argument.impossible");
}

TEST(ArgumentSpec, OffsetsBoundParts) {
  for (Spread spread : {Spread::Random, Spread::OnePart, Spread::Even}) {
    ArgumentContext context;
    context.bound = 100;
    context.spread = spread;
    Value v = makeValue(parseArgumentSpec("offsets:x:51"), "a", TANGRAM_U32, 1, 1, context);
    EXPECT_EQ(v.integer(0), 0);
    EXPECT_EQ(v.integer(50), 100);
    std::int64_t longest = 0, shortest = 100;
    for (std::uint64_t i = 0; i < 50; ++i) {
      longest = std::max(longest, v.integer(i + 1) - v.integer(i));
      shortest = std::min(shortest, v.integer(i + 1) - v.integer(i));
    }
    EXPECT_EQ(shortest, spread == Spread::Even ? 2 : 0);
    EXPECT_EQ(longest == 100, spread == Spread::OnePart);
    EXPECT_EQ(longest == 2, spread == Spread::Even);
    EXPECT_EQ(makeValue(parseArgumentSpec("offsets:x:1"), "a", TANGRAM_U32, 1, 1, context).integer(0), 0);
    EXPECT_EQ(makeValue(parseArgumentSpec("offsets:x:0"), "a", TANGRAM_U32, 1, 1, context).count(), 0u);
    context.bound = 256;
    EXPECT_EQ(idOf([&] { makeValue(parseArgumentSpec("offsets:x:9"), "a", TANGRAM_U8, 1, 1, context); }),
              "argument.impossible");
  }
}

TEST(ArgumentSpec, SpecialValuesAreAmongRandomOnes) {
  Value v = made("special:400", TANGRAM_F32, 1);
  int nan = 0, infinite = 0, finite = 0;
  for (std::uint64_t i = 0; i < v.count(); ++i)
    ++(std::isnan(v.real(i)) ? nan : std::isinf(v.real(i)) ? infinite : finite);
  EXPECT_GT(nan, 5);
  EXPECT_GT(infinite, 10);
  EXPECT_GT(finite, 200);
  Value bytes = made("special:400", TANGRAM_I8, 1);
  std::set<std::int64_t> seen;
  for (std::uint64_t i = 0; i < bytes.count(); ++i) seen.insert(bytes.integer(i));
  EXPECT_TRUE(seen.count(-128) && seen.count(127) && seen.count(0));
}

TEST(ArgumentSpec, RandomDataIsTheSameForASeed) {
  Value a = makeValue(parseArgumentSpec("random:100"), "a", TANGRAM_I32, 1, 5);
  Value b = makeValue(parseArgumentSpec("random:100"), "a", TANGRAM_I32, 1, 5);
  Value c = makeValue(parseArgumentSpec("random:100"), "a", TANGRAM_I32, 1, 6);
  EXPECT_FALSE(compare(a, Expected(std::move(b))));
  EXPECT_TRUE(compare(a, Expected(std::move(c))));
}

TEST(ArgumentSpec, WhatIsWrongIsSaid) {
  EXPECT_EQ(idOf([] { parseArgumentSpec("randm:16"); }), "argument.unknown-kind");
  EXPECT_EQ(idOf([] { parseArgumentSpec("random:x"); }), "argument.bad-sizes");
  EXPECT_EQ(idOf([] { parseArgumentSpec("random:1x2x3x4x5"); }), "argument.bad-sizes");
  EXPECT_EQ(idOf([] { parseArgumentSpec("hello"); }), "argument.not-a-spec");
  EXPECT_EQ(idOf([] { parseArgumentSpec(""); }), "argument.not-a-spec");
  EXPECT_EQ(idOf([] { parseArgumentSpec("a.raw:f33"); }), "argument.bad-type");
  EXPECT_EQ(idOf([] { parseArgumentSpec("randm"); }), "argument.not-a-spec");
  EXPECT_EQ(idOf([] { parseArgumentSpec("random:4:4"); }), "argument.not-a-spec");
  EXPECT_EQ(idOf([] { parseArgumentSpec("index"); }), "argument.no-target");
  EXPECT_EQ(idOf([] { parseArgumentSpec("offsets::4"); }), "argument.no-target");
  EXPECT_EQ(idOf([] { parseArgumentSpec("index:x:y"); }), "argument.bad-sizes");
  EXPECT_EQ(idOf([] { made("random:16", TANGRAM_F32, 2); }), "argument.wrong-rank");
  EXPECT_EQ(idOf([] { made("random", TANGRAM_F32, 2); }), "argument.wrong-rank");
  EXPECT_EQ(idOf([] { made("1,2", TANGRAM_F32, 0); }), "argument.wrong-rank");
  EXPECT_EQ(idOf([] { made("300", TANGRAM_U8, 0); }), "argument.not-in-type");
  EXPECT_EQ(idOf([] { made("3.5", TANGRAM_I32, 0); }), "argument.not-in-type");
  EXPECT_EQ(idOf([] { made("-1", TANGRAM_U32, 0); }), "argument.not-in-type");
  EXPECT_EQ(idOf([] { made("1,,2", TANGRAM_F32, 1); }), "argument.not-in-type");
  EXPECT_EQ(idOf([] { made("random:900T", TANGRAM_F64, 1); }), "argument.out-of-memory");
  EXPECT_EQ(idOf([] { made("/nowhere/at/all.raw", TANGRAM_F64, 1); }), "argument.unreadable");
  EXPECT_EQ(idOf([] { made("/nowhere/at/all.mtx", TANGRAM_F64, 2); }), "matrix.unreadable");
}

TEST(ArgumentSpec, RawFilesAreRead) {
  std::string bytes(12, '\0');
  bytes[4] = 1;
  std::filesystem::path path = temporary("data.raw", bytes);
  EXPECT_EQ(made(path.string(), TANGRAM_I32, 1).integer(1), 1);
  EXPECT_EQ(made(path.string() + ":i32", TANGRAM_I32, 1).count(), 3u);
  EXPECT_EQ(made(path.string() + ":i32:1x3", TANGRAM_I32, 2).count(), 3u);
  EXPECT_EQ(made(path.string() + ":3x1", TANGRAM_I32, 2).sizes()[0], 3u);
  EXPECT_EQ(idOf([&] { made(path.string() + ":f32", TANGRAM_I32, 1); }), "argument.wrong-type");
  EXPECT_EQ(idOf([&] { made(path.string(), TANGRAM_F64, 1); }), "argument.wrong-length");
  EXPECT_EQ(idOf([&] { made(path.string() + ":i32:4", TANGRAM_I32, 1); }), "argument.wrong-length");
  EXPECT_EQ(idOf([&] { made(path.string(), TANGRAM_I32, 2); }), "argument.wrong-rank");
  std::filesystem::remove(path);
}

TEST(MatrixMarket, DenseSparseAndSymmetric) {
  std::filesystem::path dense =
      temporary("dense.mtx", "%%MatrixMarket matrix array real general\n% a comment\n2 3\n1\n2\n3\n4\n5\n6.5\n");
  Value d = made(dense.string(), TANGRAM_F64, 2);
  EXPECT_EQ(d.sizes(), (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(d.real(1), 3); // columns first in the file, rows first in memory
  EXPECT_EQ(d.real(5), 6.5);
  std::filesystem::path sparse =
      temporary("sparse.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n1 1 4\n3 1 -2\n");
  Value s = made(sparse.string(), TANGRAM_I32, 2);
  EXPECT_EQ(s.integer(0), 4);
  EXPECT_EQ(s.integer(2), -2);
  EXPECT_EQ(s.integer(6), -2);
  std::filesystem::path vector = temporary("v.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
  EXPECT_EQ(made(vector.string(), TANGRAM_F32, 1).real(2), 3);
  for (const auto &path : {dense, sparse, vector}) std::filesystem::remove(path);
}

TEST(MatrixMarket, CompressedRows) {
  auto numbers = [](const std::filesystem::path &path, const std::string &part) {
    Value v = made(path.string() + ":" + part, TANGRAM_I32, 1);
    std::vector<std::int64_t> all;
    for (std::uint64_t i = 0; i < v.count(); ++i) all.push_back(v.integer(i));
    return all;
  };
  using Numbers = std::vector<std::int64_t>;
  // In no order, with a row that is empty.
  std::filesystem::path general = temporary(
      "general.mtx", "%%MatrixMarket matrix coordinate integer general\n3 4 4\n3 2 7\n1 4 5\n3 1 6\n1 1 -4\n");
  EXPECT_EQ(numbers(general, "row"), (Numbers{0, 2, 2, 4}));
  EXPECT_EQ(numbers(general, "column"), (Numbers{0, 3, 0, 1}));
  EXPECT_EQ(numbers(general, "value"), (Numbers{-4, 5, 6, 7}));
  std::filesystem::path skew =
      temporary("skew.mtx", "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 4\n3 2 5\n");
  EXPECT_EQ(numbers(skew, "row"), (Numbers{0, 1, 3, 4}));
  EXPECT_EQ(numbers(skew, "column"), (Numbers{1, 0, 2, 1}));
  EXPECT_EQ(numbers(skew, "value"), (Numbers{-4, 4, -5, 5}));
  std::filesystem::path pattern =
      temporary("pattern.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 2\n");
  EXPECT_EQ(numbers(pattern, "row"), (Numbers{0, 0, 1}));
  EXPECT_EQ(numbers(pattern, "value"), (Numbers{1}));
  EXPECT_EQ(idOf([&] { made(pattern.string() + ":row", TANGRAM_I32, 2); }), "matrix.part-rank");
  EXPECT_EQ(idOf([&] { parseArgumentSpec(pattern.string() + ":rows"); }), "argument.bad-part");
  std::filesystem::path dense = temporary("dense.mtx", "%%MatrixMarket matrix array real general\n1 1\n1.5\n");
  EXPECT_EQ(idOf([&] { made(dense.string() + ":row", TANGRAM_I32, 1); }), "matrix.not-sparse");
  std::filesystem::path tall =
      temporary("tall.mtx", "%%MatrixMarket matrix coordinate real general\n9000000000000000 1 0\n");
  EXPECT_EQ(idOf([&] { made(tall.string() + ":row", TANGRAM_I32, 1); }), "argument.out-of-memory");
  EXPECT_EQ(numbers(tall, "value"), Numbers{});
  for (const auto &path : {general, skew, pattern, dense, tall}) std::filesystem::remove(path);
}

TEST(MatrixMarket, BadFilesAreLocated) {
  auto id = [](const std::string &text, tangram_element element = TANGRAM_F64) {
    std::filesystem::path path = temporary("bad.mtx", text);
    std::string result = idOf([&] { made(path.string(), element, 2); });
    std::filesystem::remove(path);
    return result;
  };
  const std::string array = "%%MatrixMarket matrix array real general\n";
  const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_EQ(id(""), "matrix.bad-file");
  EXPECT_EQ(id("hello\n"), "matrix.bad-file");
  EXPECT_EQ(id(array + "2 2\n1\n2\n3\n"), "matrix.bad-file");
  EXPECT_EQ(id(array + "2 x\n"), "matrix.bad-file");
  EXPECT_EQ(id(array + "1 2\n1\n1.2.3\n"), "matrix.bad-file");
  EXPECT_EQ(id(array + "1000000 1000000\n1\n"), "matrix.bad-file");
  EXPECT_EQ(id(coordinate + "2 2 1\n3 1 5\n"), "matrix.bad-file");
  EXPECT_EQ(id(coordinate + "2 2 1\n0 1 5\n"), "matrix.bad-file");
  EXPECT_EQ(id(coordinate + "1000000 1000000 1\n1 1 1\n"), "matrix.too-sparse");
  EXPECT_EQ(id("%%MatrixMarket matrix array complex general\n1 1\n1 1\n"), "matrix.complex");
  EXPECT_EQ(id(array + "1 1\n1.5\n", TANGRAM_I32), "matrix.not-in-type");
}

// ---- comparison ----------------------------------------------------------------------------------------

TEST(Compare, IntegersMustBeEqual) {
  Value a = made("1,2,3", TANGRAM_I32, 1), b = made("1,2,4", TANGRAM_I32, 1);
  std::optional<Mismatch> m = compare(a, Expected(std::move(b)));
  ASSERT_TRUE(m);
  EXPECT_EQ(m->index, std::vector<std::uint64_t>{2});
  EXPECT_EQ(m->got, "3");
  EXPECT_EQ(m->expected, "4");
  EXPECT_EQ(m->wrong, 1u);
}

TEST(Compare, NumbersMayDifferByTheBoundOfEach) {
  Value a = made("10,20", TANGRAM_F32, 1);
  auto expected = [&](double first, double second) {
    return Expected(made("10,20", TANGRAM_F32, 1), {{{10.5, first}, {20, second}}});
  };
  EXPECT_FALSE(compare(a, expected(0.5, 0)));
  EXPECT_FALSE(compare(a, expected(std::numeric_limits<double>::infinity(), 0)));
  std::optional<Mismatch> m = compare(a, expected(0.25, 0));
  ASSERT_TRUE(m);
  EXPECT_EQ(m->index, std::vector<std::uint64_t>{0});
  EXPECT_EQ(m->expected, "10.5");
  EXPECT_EQ(m->bound, 0.25);
  EXPECT_EQ(expected(std::numeric_limits<double>::infinity(), 0).unknown(), 1u);
}

TEST(Compare, NotANumberAndInfinity) {
  Value nan = made("nan", TANGRAM_F64, 0), inf = made("inf", TANGRAM_F64, 0), one = made("1", TANGRAM_F64, 0);
  auto differs = [](const Value &got, const Value &expected) {
    return compare(got, Expected(expected.copy(), {{{expected.real(0), 1e300}}})).has_value();
  };
  EXPECT_FALSE(differs(nan, nan));
  EXPECT_FALSE(differs(inf, inf));
  EXPECT_TRUE(differs(nan, one));
  EXPECT_TRUE(differs(one, nan));
  EXPECT_TRUE(differs(inf, one));
  EXPECT_TRUE(differs(one, inf));
}

TEST(Compare, WhatIsExpectedGoesThroughAFile) {
  Expected expected(made("1,2", TANGRAM_I32, 1), {{}});
  expected.alsoAccept(Expected(made("1,3", TANGRAM_I32, 1), {{}}));
  Expected number(made("5", TANGRAM_F64, 0), {{{5, 0.5}}});
  number.alsoAccept(Expected(made("7", TANGRAM_F64, 0), {{{7, 0.25}}}));
  std::stringstream file;
  ASSERT_TRUE(expected.save(file));
  ASSERT_TRUE(number.save(file));
  std::optional<Expected> first = Expected::load(file, made("0,0", TANGRAM_I32, 1)),
                          second = Expected::load(file, made("0", TANGRAM_F64, 0));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->undecided(), 1u);
  EXPECT_EQ(second->undecided(), 1u);
  EXPECT_FALSE(compare(made("1,3", TANGRAM_I32, 1), *first));
  EXPECT_TRUE(compare(made("3,3", TANGRAM_I32, 1), *first));
  EXPECT_FALSE(compare(made("7.25", TANGRAM_F64, 0), *second));
  EXPECT_TRUE(compare(made("7.5", TANGRAM_F64, 0), *second));
  std::stringstream nothing("too short");
  EXPECT_FALSE(Expected::load(nothing, made("0,0", TANGRAM_I32, 1)));
}

TEST(Compare, EitherOutcomeWhereRoundingsDecide) {
  Expected expected(made("1,2", TANGRAM_I32, 1), {{}});
  expected.alsoAccept(Expected(made("1,3", TANGRAM_I32, 1), {{}}));
  EXPECT_FALSE(compare(made("1,2", TANGRAM_I32, 1), expected));
  EXPECT_FALSE(compare(made("1,3", TANGRAM_I32, 1), expected));
  // Where two outcomes were seen there may be more, not far from these.
  EXPECT_FALSE(compare(made("1,4", TANGRAM_I32, 1), expected));
  EXPECT_TRUE(compare(made("1,5", TANGRAM_I32, 1), expected));
  EXPECT_EQ(expected.undecided(), 1u);
  EXPECT_TRUE(compare(made("3,3", TANGRAM_I32, 1), expected));
  Expected number(made("5", TANGRAM_F64, 0), {{{5, 0.5}}});
  number.alsoAccept(Expected(made("7", TANGRAM_F64, 0), {{{7, 0.25}}}));
  EXPECT_EQ(number.undecided(), 1u);
  EXPECT_FALSE(compare(made("7.25", TANGRAM_F64, 0), number));
  EXPECT_TRUE(compare(made("7.5", TANGRAM_F64, 0), number));
}

TEST(ArgumentSpec, WholeNumbersStaySmallAndLeaveZeros) {
  Value value = made("random:1000", TANGRAM_F32, 1);
  value.setReal(3, 0);
  value.setReal(4, std::numeric_limits<double>::infinity());
  makeWhole(value, 1);
  EXPECT_EQ(value.real(3), 0);
  EXPECT_EQ(value.real(4), std::numeric_limits<double>::infinity());
  for (std::uint64_t i = 5; i < value.count(); ++i) {
    EXPECT_EQ(value.real(i), std::trunc(value.real(i)));
    EXPECT_LE(std::abs(value.real(i)), 2);
  }
  Value zeros = made("zeros:100", TANGRAM_F32, 1);
  std::vector<Value> all;
  EXPECT_FALSE(allZero(all));
  all.push_back(zeros.copy());
  EXPECT_TRUE(allZero(all));
  makeWhole(zeros, 1);
  EXPECT_EQ(zeros.real(7), 0);
  makeWhole(zeros, 1, {}, true);
  for (std::uint64_t i = 0; i < zeros.count(); ++i) EXPECT_NE(zeros.real(i), 0);
}

std::vector<WholePass> passesOf(std::uint64_t elements, tangram_element element = TANGRAM_F32) {
  WholePasses passes;
  passes.add(elements, element);
  return passes.all();
}

TEST(WholeNumbers, FloatsHoldTheirSumsInWhateverOrder) {
  for (std::uint64_t elements : {100ull, 5000ull, 1ull << 20, 1ull << 24, (1ull << 25) + 1}) {
    std::size_t plain = 0, wide = 0;
    for (const WholePass &pass : passesOf(elements)) {
      if ((pass.among ? wide : plain)++ && elements > 1ull << 20) continue; // takes long
      WholeNumbers x(5, elements, TANGRAM_F32, pass), y(6, elements, TANGRAM_F32, pass);
      double above = 0, below = 0, products = 0, squares = 0;
      for (std::uint64_t i = 0; i < elements; ++i) {
        const auto a = static_cast<double>(x.next(true)), b = static_cast<double>(y.next(true));
        (a > 0 ? above : below) += std::abs(a);
        (a * b > 0 ? products : squares) += std::abs(a * b);
      }
      if (pass.negative) {
        EXPECT_EQ(above, 0);
        if (elements > 1ull << 22) continue;
      }
      EXPECT_LE(std::max(above, below), 1 << 24) << elements << " " << pass.number;
      EXPECT_LE(std::max(products, squares), 1 << 24) << elements << " " << pass.number;
      // And little of the room is left.
      if (pass.among > 1000 && !pass.negative) {
        EXPECT_GE(std::max(products, squares), 0.8 * (1 << 24)) << elements << " " << pass.number;
      }
    }
  }
}

/// With which share of pairs of elements one can be taken for the other, in all passes, without a change of a sum of
/// products: `x[i] * y[j]` for `x[i] * y[i]`.
double missed(std::uint64_t elements) {
  const std::uint64_t drawn = std::min<std::uint64_t>(elements, 200000);
  std::vector<bool> differs(drawn);
  for (const WholePass &pass : passesOf(elements)) {
    WholeNumbers numbers(1, elements, TANGRAM_F32, pass), factors(2, elements, TANGRAM_F32, pass);
    std::vector<std::int64_t> x, y;
    for (std::uint64_t i = 0; i < drawn; ++i) {
      x.push_back(numbers.next(false));
      y.push_back(factors.next(false));
    }
    for (std::uint64_t i = 0; i < drawn; ++i)
      differs[i] = differs[i] || x[i] * y[i] != x[i] * y[(i + drawn / 3) % drawn];
  }
  return static_cast<double>(std::count(differs.begin(), differs.end(), false)) / static_cast<double>(drawn);
}

TEST(WholeNumbers, OneElementForAnotherShows) {
  for (std::uint64_t elements : {1000ull, 100000ull, 1ull << 20, 1ull << 21, 1ull << 22, 1ull << 23, 1ull << 24}) {
    EXPECT_LT(missed(elements), 1.0 / 1024) << elements;
    EXPECT_LE(passesOf(elements).size(), 10u) << elements;
  }
  EXPECT_LT(missed(1ull << 25), 1.0 / 32);
}

TEST(WholeNumbers, NoElementIsZeroInAllPasses) {
  for (std::uint64_t elements : {1ull, 2ull, 1000ull, (1ull << 23) + 1}) {
    std::vector<bool> both(elements);
    for (const WholePass &pass : passesOf(elements)) {
      if (pass.among) continue;
      // Products of two arguments are not zero in all, either.
      WholeNumbers x(1, elements, TANGRAM_F32, pass), y(2, elements, TANGRAM_F32, pass);
      for (std::uint64_t i = 0; i < elements; ++i) {
        const std::int64_t a = x.next(false), c = y.next(false);
        if (i == 0 || i + 1 == elements) {
          EXPECT_NE(a, 0) << elements << " " << i;
        }
        if (a * c != 0) both[i] = true;
      }
    }
    EXPECT_EQ(std::find(both.begin(), both.end(), false) - both.begin(), static_cast<std::ptrdiff_t>(elements));
  }
  // Where few enough are added for some to be zero, the first and the last are not.
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    WholeNumbers numbers(seed, 10, TANGRAM_F64);
    std::vector<std::int64_t> drawn;
    for (int i = 0; i < 10; ++i) drawn.push_back(numbers.next(true));
    EXPECT_NE(drawn.front(), 0);
    EXPECT_NE(drawn.back(), 0);
  }
}

TEST(WholeNumbers, PassesAreFewWhereOneTells) {
  EXPECT_TRUE(WholePasses().all().empty());
  EXPECT_EQ(passesOf(1).size(), 1u);
  EXPECT_EQ(passesOf(1000).size(), 5u);
  EXPECT_EQ(passesOf(1ull << 24, TANGRAM_F64).size(), 5u);
  EXPECT_EQ(passesOf(1ull << 30).size(), WholePasses::kMostPlain + WholePasses::kMostWide + 1);
  // All arguments of a call have numbers for sums of as many as the longest has.
  WholePasses both;
  both.add(1ull << 24, TANGRAM_F32);
  both.add(4096, TANGRAM_F32);
  for (const WholePass &pass : both.all()) {
    WholeNumbers numbers(3, 4096, TANGRAM_F32, pass);
    int larger = 0;
    for (int i = 0; i < 4096; ++i) larger += std::abs(numbers.next(false)) > 2;
    EXPECT_LE(larger, pass.among ? 2 : 0); // the peaks
  }
  // Of narrow types products of two are exact in the type.
  for (tangram_element element : {TANGRAM_F16, TANGRAM_BF16})
    for (const WholePass &pass : passesOf(100, element)) {
      WholeNumbers numbers(3, 100, element, pass);
      int larger = 0;
      for (int i = 0; i < 100; ++i) larger += std::pow(numbers.next(false), 2) > std::ldexp(1, mantissaBits(element));
      EXPECT_LE(larger, pass.among ? 2 : 0);
    }
}

TEST(WholeNumbers, TheGreatestAndTheLeastAreAtEachEndAndInside) {
  std::map<std::string, int> places;
  int all = 0;
  for (std::uint64_t elements = 30; elements < 3000; elements += 7, ++all)
    for (const WholePass &pass : passesOf(elements)) {
      if (!pass.among || pass.negative) continue;
      WholeNumbers numbers(7, elements, TANGRAM_F32, pass);
      std::vector<std::int64_t> x;
      for (std::uint64_t i = 0; i < elements; ++i) x.push_back(numbers.next(false));
      const auto [least, greatest] = std::minmax_element(x.begin(), x.end());
      EXPECT_GE(*greatest, 256);
      for (auto [name, at] : {std::pair{"least", least}, {"greatest", greatest}}) {
        const std::ptrdiff_t i = at - x.begin();
        ++places[std::string(name) + (i == 0 ? " first" : i + 1 == std::ptrdiff_t(elements) ? " last" : " inside")];
        if (i % 2) ++places[std::string(name) + " odd"];
      }
    }
  for (const char *name : {"least", "greatest"})
    for (auto [place, share] : {std::pair{" first", 1.0}, {" last", 1.0}, {" inside", 1.0}, {" odd", 1.0}})
      EXPECT_NEAR(places[std::string(name) + place], share * all, 0.15 * all) << name << place;
}

TEST(WholeNumbers, NegativeOnesLeaveNoRoomForMore) {
  for (std::uint64_t elements : {1ull << 22, 1ull << 24})
    for (const WholePass &pass : passesOf(elements)) {
      if (!pass.negative) continue;
      WholeNumbers x(5, elements, TANGRAM_F32, pass), y(6, elements, TANGRAM_F32, pass);
      double sum = 0, products = 0;
      for (std::uint64_t i = 0; i < elements; ++i) {
        const auto a = static_cast<double>(x.next(false)), b = static_cast<double>(y.next(false));
        sum -= a;
        products += a * b;
      }
      EXPECT_LE(sum, 1 << 24) << elements;
      EXPECT_LE(products, 1 << 24) << elements;
    }
}

// ---- timing --------------------------------------------------------------------------------------------

TEST(Timing, MedianAndInterval) {
  std::vector<double> times;
  for (int i = 100; i >= 0; --i) times.push_back(i);
  Measurement m = summarize(times);
  EXPECT_EQ(m.median, 50);
  EXPECT_GE(m.confidence, 0.95);
  EXPECT_LE(m.confidence, 0.98);
  EXPECT_EQ(m.low, 40); // the 41st and the 61st of 101: 0.954
  EXPECT_EQ(m.high, 60);
  EXPECT_EQ(summarize({3, 1}).median, 2);
  EXPECT_EQ(summarize({3}).confidence, 0);
  EXPECT_LT(summarize({1, 2, 3}).confidence, 0.95); // honest: three runs do not say more
  EXPECT_EQ(summarize({}).repeats, 0u);
}

TEST(Timing, AnIntervalOfManyRunsIsAsWideAsItShouldBe) {
  // About 0.98 roots of n to each side of the middle.
  for (int n : {1001, 4001, 100001}) {
    std::vector<double> times;
    for (int i = 0; i < n; ++i) times.push_back(i);
    Measurement m = summarize(times);
    EXPECT_GE(m.confidence, 0.95) << n;
    EXPECT_LE(m.confidence, 0.97) << n;
    EXPECT_NEAR(m.median - m.low, 0.98 * std::sqrt(n), 2) << n;
    EXPECT_EQ(m.high - m.median, m.median - m.low) << n;
  }
}

TEST(Timing, PreparationIsNotTimed) {
  int prepared = 0, worked = 0;
  MeasureOptions options;
  options.repeats = 5;
  options.warmUpSeconds = 0;
  Measurement m = measure([&] { ++worked; }, options,
                          [&] {
                            ++prepared;
                            std::this_thread::sleep_for(std::chrono::milliseconds(5));
                          });
  EXPECT_EQ(worked, 6); // one to warm up
  EXPECT_EQ(prepared, 6);
  EXPECT_EQ(m.repeats, 5u);
  EXPECT_LT(m.median, 0.004);
}

// ---- shapes --------------------------------------------------------------------------------------------

namespace {

struct ShapeTest : testing::Test {
  ast::Arena arena;
  ast::Build build{arena};
  ast::Type f32 = ast::Scalar::F32, i32 = ast::Scalar::I32, u64 = ast::Scalar::U64;
  std::vector<const ast::Param *> params;
  std::vector<const ast::Expr *> conditions;

  void param(const std::string &name, ast::Type type) {
    params.push_back(arena.make<ast::Param>({}, name, type, ast::Access::In));
  }
  void matrix(const std::string &name) { param(name, ast::Type::array(2, f32)); }
  void vector(const std::string &name) { param(name, ast::Type::array(1, f32)); }
  const ast::Expr *size(const std::string &name, int dim = -1) {
    const ast::Expr *container = nullptr;
    for (const ast::Param *p : params)
      if (p->name == name) container = build.var(name, p->type);
    return arena.make<ast::Size>({}, u64, container, dim < 0 ? nullptr : build.integer(ast::Scalar::U32, dim));
  }
  void require(ast::BinaryOp op, const ast::Expr *a, const ast::Expr *b) {
    conditions.push_back(
        arena.make<ast::Binary>({}, ast::Type(ast::Scalar::Bool), op, a, b)); // unfolded, as a frontend makes it
  }
  const ast::Spectrum *spectrum() {
    return arena.make<ast::Spectrum>({}, std::string("s"), f32, params, conditions,
                                     std::vector<const ast::Codelet *>{});
  }
  std::optional<Shape> solve(std::uint64_t n, Aspect aspect = Aspect::Square) {
    const ast::Spectrum *s = spectrum();
    ShapeRequest request;
    request.n = n;
    request.aspect = aspect;
    const ast::Expr *broken = nullptr;
    std::optional<Shape> shape = makeShape(*s, request, &broken);
    EXPECT_EQ(!shape, broken != nullptr);
    for (std::size_t i = 0; shape && i < conditions.size(); ++i)
      EXPECT_NE(holds(*conditions[i], *s, *shape), std::optional(false));
    return shape;
  }
  using Sizes = std::vector<std::uint64_t>;
};

} // namespace

TEST_F(ShapeTest, VectorsAreAllOfSizeN) {
  vector("a");
  vector("b");
  param("k", i32);
  std::optional<Shape> s = solve(31);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->arguments[0].sizes, Sizes{31});
  EXPECT_EQ(s->arguments[1].sizes, Sizes{31});
  EXPECT_EQ(s->arguments[2].scalar, 1);
}

TEST_F(ShapeTest, VectorsFitTheirMatrix) {
  matrix("a");
  vector("x");
  vector("y");
  require(ast::BinaryOp::Eq, size("x"), size("a", 1));
  require(ast::BinaryOp::Eq, size("a", 0), size("y"));
  for (Aspect aspect : {Aspect::Square, Aspect::OneRow, Aspect::OneColumn, Aspect::Wide, Aspect::Tall})
    for (std::uint64_t n : {0, 1, 2, 31, 1000003}) {
      std::optional<Shape> s = solve(n, aspect);
      ASSERT_TRUE(s);
      const Sizes &a = s->arguments[0].sizes;
      EXPECT_EQ(s->arguments[1].sizes, Sizes{a[1]});
      EXPECT_EQ(s->arguments[2].sizes, Sizes{a[0]});
      EXPECT_LE(a[0] * a[1], n + 1000);
      EXPECT_EQ(a[0] * a[1] > 0, n > 0);
    }
  EXPECT_EQ(solve(31, Aspect::OneRow)->arguments[0].sizes, (Sizes{1, 31}));
}

TEST_F(ShapeTest, MatrixProduct) {
  matrix("a");
  matrix("b");
  matrix("c");
  require(ast::BinaryOp::Eq, size("a", 1), size("b", 0));
  require(ast::BinaryOp::LogicalAnd,
          arena.make<ast::Binary>({}, ast::Type(ast::Scalar::Bool), ast::BinaryOp::Eq, size("c", 0), size("a", 0)),
          arena.make<ast::Binary>({}, ast::Type(ast::Scalar::Bool), ast::BinaryOp::Eq, size("c", 1), size("b", 1)));
  EXPECT_TRUE(solve(100, Aspect::Wide));
  EXPECT_TRUE(solve(100, Aspect::Tall));
}

TEST_F(ShapeTest, OtherConditions) {
  vector("a");
  vector("b");
  param("k", i32);
  require(ast::BinaryOp::Lt, size("b"), size("a"));
  require(ast::BinaryOp::Eq, build.rem(size("a"), build.u64(4)), build.u64(0));
  require(ast::BinaryOp::Gt, build.var("k", i32), build.integer(i32, 5));
  std::optional<Shape> s = solve(31);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->arguments[0].sizes[0] % 4, 0u);
  EXPECT_LT(s->arguments[1].sizes[0], s->arguments[0].sizes[0]);
  EXPECT_GT(*s->arguments[2].scalar, 5);
}

TEST_F(ShapeTest, ScaledSizes) {
  vector("a");
  vector("b");
  require(ast::BinaryOp::Eq, size("b"), build.add(build.mul(size("a"), build.u64(2)), build.u64(1)));
  EXPECT_EQ(solve(10)->arguments[1].sizes, Sizes{21});
}

TEST_F(ShapeTest, AFixedSizeIsSolvedFor) {
  vector("y");
  vector("row");
  require(ast::BinaryOp::Eq, size("row"), build.add(size("y"), build.u64(1)));
  ShapeRequest request;
  request.n = 1000;
  request.fixed = {std::nullopt, Sizes{38}};
  std::optional<Shape> s = makeShape(*spectrum(), request, nullptr);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->arguments[0].sizes, Sizes{37});
}

/// What is chosen for q must not be given up for the sake of the others, which are as long.
TEST_F(ShapeTest, SizesThatAreConstants) {
  for (const char *name : {"q", "k", "v", "out"}) matrix(name);
  for (unsigned d = 0; d < 2; ++d)
    for (const char *name : {"k", "v", "out"}) require(ast::BinaryOp::Eq, size(name, d), size("q", d));
  require(ast::BinaryOp::Eq, size("q", 1), build.u64(128));
  for (const Aspect aspect : {Aspect::Square, Aspect::OneRow, Aspect::OneColumn, Aspect::Wide, Aspect::Tall}) {
    const std::optional<Shape> s = solve(1000, aspect);
    ASSERT_TRUE(s);
    for (const Shape::Argument &a : s->arguments) EXPECT_EQ(a.sizes, (Sizes{8, 128})); // about as many as asked for
    ASSERT_TRUE(solve(0, aspect));
  }
}

TEST_F(ShapeTest, ConstantsThatContradict) {
  vector("a");
  vector("b");
  require(ast::BinaryOp::Eq, size("a"), build.u64(4));
  require(ast::BinaryOp::Eq, size("b"), build.u64(5));
  require(ast::BinaryOp::Eq, size("b"), size("a"));
  EXPECT_FALSE(solve(7));
}

TEST_F(ShapeTest, ContradictionsAreNamed) {
  vector("a");
  require(ast::BinaryOp::Gt, size("a"), build.u64(10));
  require(ast::BinaryOp::Lt, size("a"), build.u64(5));
  EXPECT_FALSE(solve(7));
}

TEST_F(ShapeTest, WhatCannotBeToldIsLeftAlone) {
  vector("a");
  param("x", f32);
  conditions.push_back(arena.make<ast::Binary>({}, ast::Type(ast::Scalar::Bool), ast::BinaryOp::Gt, build.var("x", f32),
                                               arena.make<ast::FloatLit>({}, f32, 0.0)));
  EXPECT_TRUE(solve(3));
}

TEST(Shapes, SizesFollowFromEquations) {
  ast::Arena arena;
  ast::Build b(arena);
  auto param = [&](const char *name, unsigned rank) {
    return arena.make<ast::Param>({}, std::string(name), ast::Type::array(rank, ast::Scalar::F32), ast::Access::InOut);
  };
  std::vector<const ast::Param *> params{param("a", 2),    param("y", 1), param("z", 1),
                                         param("free", 1), param("t", 2), param("u", 1)};
  auto size = [&](std::size_t i, int dim) {
    return arena.make<ast::Size>({}, ast::Type(ast::Scalar::U64), b.var(params[i]->name, params[i]->type),
                                 dim < 0 ? nullptr : b.u64(static_cast<std::uint64_t>(dim)));
  };
  // z's follows from y's, which is said later; of t only one extent is said.
  std::vector<const ast::Expr *> conditions{
      b.equal(size(2, -1), b.add(size(1, -1), b.u64(1))),
      b.both(b.equal(size(0, 0), size(1, -1)), b.binary(ast::BinaryOp::Le, size(3, -1), size(0, 1))),
      b.equal(size(4, 0), size(0, 0)), b.equal(b.sub(b.mul(b.u64(2), size(5, -1)), b.u64(2)), size(0, 0))};
  const ast::Spectrum *spectrum = arena.make<ast::Spectrum>({}, std::string("f"), ast::Type(), params, conditions,
                                                            std::vector<const ast::Codelet *>{});
  Shape shape;
  shape.arguments.resize(params.size());
  shape.arguments[0].sizes = {4, 3};
  deduceSizes(*spectrum, shape);
  EXPECT_EQ(shape.arguments[1].sizes, std::vector<std::uint64_t>{4});
  EXPECT_EQ(shape.arguments[2].sizes, std::vector<std::uint64_t>{5});
  EXPECT_TRUE(shape.arguments[3].sizes.empty());
  EXPECT_TRUE(shape.arguments[4].sizes.empty());
  EXPECT_EQ(shape.arguments[5].sizes, std::vector<std::uint64_t>{3});
}

// ---- child processes -----------------------------------------------------------------------------------

TEST(Children, MessagesArriveWhole) {
  std::vector<Message> got;
  ChildEnd end = runChild(
      [](const Send &send) {
        for (int i = 0; i < 100; ++i) send({"n", std::to_string(i), std::string(10000, 'x'), ""});
      },
      [&](const Message &m) { got.push_back(m); }, 30);
  EXPECT_TRUE(end.done());
  ASSERT_EQ(got.size(), 100u);
  EXPECT_EQ(got[99][1], "99");
  EXPECT_EQ(got[99][2].size(), 10000u);
}

TEST(Children, CrashesHangsAndExitsAreTold) {
  auto nothing = [](const Message &) {};
  std::string heard;
  ChildEnd crash = runChild(
      [](const Send &send) {
        send({"before"});
        std::raise(SIGSEGV);
      },
      [&](const Message &m) { heard = m[0]; }, 30);
  EXPECT_EQ(crash.how, ChildEnd::How::Signal);
  EXPECT_EQ(crash.number, SIGSEGV);
  EXPECT_EQ(heard, "before");
  ChildEnd hang = runChild(
      [](const Send &) {
        for (;;) pause();
      },
      nothing, 0.2);
  EXPECT_EQ(hang.how, ChildEnd::How::Silent);
  ChildEnd exits = runChild([](const Send &) { _exit(5); }, nothing, 30);
  EXPECT_EQ(exits.how, ChildEnd::How::Exit);
  EXPECT_EQ(exits.number, 5);
  ChildEnd throws = runChild([](const Send &) { throw 1; }, nothing, 30);
  EXPECT_EQ(throws.how, ChildEnd::How::Exit);
}

TEST(Children, WhatTheySayOnStandardErrorIsKeptForThoseThatFail) {
  auto nothing = [](const Message &) {};
  auto say = [](const std::string &text) {
    EXPECT_EQ(write(STDERR_FILENO, text.data(), text.size()), ssize_t(text.size()));
  };
  testing::internal::CaptureStderr();
  ChildEnd chatter = runChild([&](const Send &) { say("3 warnings generated.\n"); }, nothing, 30);
  ChildEnd crash = runChild(
      [&](const Send &) {
        say("3 warnings generated.\nplan.cpp:7: it is broken\n\n");
        std::abort();
      },
      nothing, 30);
  // Much more than a pipe holds: the end of it, and nobody waits for anybody.
  ChildEnd much = runChild(
      [&](const Send &send) {
        for (int i = 0; i < 2000; ++i) say(std::string(999, 'x') + "\n");
        say("the last line\n");
        send({"end"});
        _exit(4);
      },
      nothing, 30);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(chatter.done());
  EXPECT_EQ(chatter.text(), "ended");
  EXPECT_EQ(chatter.said, "3 warnings generated.\n");
  EXPECT_EQ(crash.text(), "crashed (signal 6: Aborted): plan.cpp:7: it is broken");
  EXPECT_EQ(much.text(), "ended the process (status 4): the last line");
  EXPECT_LT(much.said.size(), 1000000u);
}

TEST(Children, ManyRunAndMayAddMore) {
  Children children(3);
  int sum = 0, ended = 0;
  for (int i = 1; i <= 10; ++i)
    children.add(
        {[i](const Send &send) { send({std::to_string(i)}); }, [&](const Message &m) { sum += std::stoi(m[0]); },
         [&, i](const ChildEnd &end) {
           EXPECT_TRUE(end.done());
           ++ended;
           if (i == 10)
             children.add({[](const Send &send) { send({"100"}); }, [&](const Message &m) { sum += std::stoi(m[0]); },
                           [&](const ChildEnd &) { ++ended; }, 30});
         },
         30});
  children.run();
  EXPECT_EQ(sum, 155);
  EXPECT_EQ(ended, 11);
}

// ---- kernel libraries ----------------------------------------------------------------------------------

namespace {

/// A library as a backend would build it.
std::filesystem::path buildLibrary(const std::string &name, const std::string &source) {
  std::filesystem::path code = temporary(name + ".cpp", source), library = code;
  library.replace_extension(".so");
  std::string command = fmt::format("c++ -std=c++20 -shared -fPIC -I'{}/core/include' '{}' -o '{}'", TANGRAM_SOURCE_DIR,
                                    code.string(), library.string());
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::filesystem::remove(code);
  return library;
}

constexpr const char *kTwice = R"(
#include <tangram/runtime/kernel_abi.h>
#include <cstring>
static int invoke(void *const *args, tangram_error *error) {
  auto *in = static_cast<tangram_array *>(args[0]);
  if (in->size[0] == 0) {
    error->status = TANGRAM_BAD_ARGUMENT;
    std::strcpy(error->message, "in is empty");
    return TANGRAM_BAD_ARGUMENT;
  }
  int sum = 0;
  for (uint64_t i = 0; i < in->size[0]; ++i) sum += static_cast<int *>(in->data)[i];
  *static_cast<int *>(args[1]) = 2 * sum;
  return TANGRAM_OK;
}
static const tangram_param params[] = {{"in", TANGRAM_I32, 1, TANGRAM_IN}, {"result", TANGRAM_I32, 0, TANGRAM_OUT}};
static const tangram_kernel kernel = {sizeof(tangram_kernel), ABI, "twice", "twice", "p", "t", 2, params, invoke};
static const tangram_kernel *const list[] = {&kernel};
extern "C" const tangram_kernel *const *tangram_kernel_table(uint32_t *count) { *count = 1; return list; }
)";

} // namespace

TEST(KernelLibrary, LoadsAndCalls) {
  std::filesystem::path path = buildLibrary("twice", std::string("#define ABI TANGRAM_KERNEL_ABI\n") + kTwice);
  {
    KernelLibrary library(path);
    ASSERT_EQ(library.kernels().size(), 1u);
    const tangram_kernel &kernel = library.get("twice");
    std::vector<Value> arguments;
    arguments.push_back(made("1,2,3", TANGRAM_I32, 1));
    arguments.push_back(Value::scalar(TANGRAM_I32));
    CallResult result = call(kernel, arguments);
    EXPECT_TRUE(result.ok()) << result.message;
    EXPECT_EQ(arguments[1].integer(0), 12);
    arguments[0] = made("zeros:0", TANGRAM_I32, 1);
    result = call(kernel, arguments);
    EXPECT_EQ(result.status, TANGRAM_BAD_ARGUMENT);
    EXPECT_EQ(result.message, "in is empty");
    arguments.pop_back();
    EXPECT_EQ(idOf([&] { call(kernel, arguments); }), "call of kernel 'twice'.bug");
    EXPECT_EQ(idOf([&] { library.get("twise"); }), "kernels.unknown");
  }
  std::filesystem::remove(path);
}

TEST(KernelLibrary, WhatIsNoneIsRefused) {
  EXPECT_EQ(idOf([] { KernelLibrary("/nowhere/at/all.so"); }), "kernels.missing");
  std::filesystem::path text = temporary("text.so", "not a library");
  EXPECT_EQ(idOf([&] { KernelLibrary{text}; }), "kernels.not-loadable");
  std::filesystem::path other = buildLibrary("other", "extern \"C\" int nothing() { return 0; }");
  EXPECT_EQ(idOf([&] { KernelLibrary{other}; }), "kernels.no-kernels");
  std::filesystem::path old = buildLibrary("old", std::string("#define ABI 999u\n") + kTwice);
  EXPECT_EQ(idOf([&] { KernelLibrary{old}; }), "kernels.abi");
  std::filesystem::path null = buildLibrary("null", R"(
#include <tangram/runtime/kernel_abi.h>
extern "C" const tangram_kernel *const *tangram_kernel_table(uint32_t *count) { *count = 1; return nullptr; })");
  EXPECT_EQ(idOf([&] { KernelLibrary{null}; }), "kernels.bad-descriptor");
  for (const auto &path : {text, other, old, null}) std::filesystem::remove(path);
}
