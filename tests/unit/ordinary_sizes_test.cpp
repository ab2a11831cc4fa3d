// Sizes where none are told.
#include "SumProgram.h"
#include "tangram/planning/OrdinarySizes.h"

namespace tangram {
namespace {

using namespace test;

TEST(OrdinarySizes, SomeMillionsOfElements) {
  Program sum(sumProgram(), cpuModern());
  const ast::Spectrum &spectrum = *sum.module->spectrums[0];
  EXPECT_EQ(ordinarySizes(spectrum, {}), (ExpectedSizes{{"in", {1 << 22}}}));
  EXPECT_EQ(ordinarySizes(spectrum, {{1000}}), (ExpectedSizes{{"in", {1000}}}));
}

TEST(OrdinarySizes, OfSeveralDimensionsAsManyTogether) {
  std::string params = "(Param \"a\" array<2,i32> in) (Param \"n\" u32 in)";
  Program program(module({spectrum("sum", {codelet("x", {}, false, "", "", params)}, "void", params)}), cpuModern());
  const ast::Spectrum &spectrum = *program.module->spectrums[0];
  EXPECT_EQ(ordinarySizes(spectrum, {}).at("a"), (std::vector<std::uint64_t>{2048, 2048}));
  EXPECT_EQ(ordinarySizes(spectrum, {{512, std::nullopt}}).at("a"), (std::vector<std::uint64_t>{512, 8192}));
}

TEST(OrdinarySizes, WhatHasToFindRoomIsSmall) {
  std::string params = "(Param \"a\" array<1,i32> in) (Param \"w\" array<1,i32> in)";
  const std::string fits = bin("bool", "ge", size(var("array<1,i32>", "a")), size(var("array<1,i32>", "w")));
  Program program(module({spectrum("sum", {codelet("x", {}, false, "", "", params)}, "void", params, fits)}),
                  cpuModern());
  const ast::Spectrum &spectrum = *program.module->spectrums[0];
  EXPECT_EQ(ordinarySizes(spectrum, {}), (ExpectedSizes{{"a", {1 << 22}}, {"w", {64}}}));
  EXPECT_EQ(ordinarySizes(spectrum, {{std::nullopt}, {100}}).at("w"), std::vector<std::uint64_t>{100});
}

TEST(OrdinarySizes, NumbersWhoseProductIsASize) {
  std::string params = "(Param \"a\" array<1,i32> in) (Param \"n\" u64 in) (Param \"m\" u64 in)";
  const std::string product =
      bin("bool", "eq", size(var("array<1,i32>", "a")), bin("u64", "mul", var("u64", "n"), var("u64", "m")));
  Program program(module({spectrum("sum", {codelet("x", {}, false, "", "", params)}, "void", params, product)}),
                  cpuModern());
  const Forest forest = program.forest(1);
  EXPECT_EQ(ordinarySizes(forest), (ExpectedSizes{{"a", {1 << 22}}, {"n", {2048}}, {"m", {2048}}}));
}

} // namespace
} // namespace tangram
