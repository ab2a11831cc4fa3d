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

} // namespace
} // namespace tangram
