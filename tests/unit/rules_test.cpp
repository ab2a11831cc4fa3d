// Program rules and their specialisation to levels: Figures 5.5, 5.6 and 5.7.
#include "SumProgram.h"

#include "tangram/compose/Rules.h"

namespace tangram {
namespace {

using namespace test;

TEST(Rules, Figure55) {
  Program program(sumProgram(), cpuSimple());
  EXPECT_EQ(print(rules(*program.module, "sum")),
            "Rule1: compose(sum, L) -> S_L, devolve(l_L), compose(sum, l_L)\n"
            "Rule2: compose(sum, L) -> compute(c_a, SE_L)\n"
            "Rule3: compose(sum, L) -> compute(c_b, VE_L)\n"
            "Rule4: compose(sum, L) -> S_L, regroup(p_c, L), distribute(l_L), compose(sum, l_L), compose(sum, L)\n"
            "Rule5: compose(sum, L) -> S_L, regroup(p_d, L), distribute(l_L), compose(sum, l_L), compose(sum, L)\n");
  EXPECT_EQ(print({rules(*program.module, "sum")[3]}, true),
            "Rule4: compose(sum, L) -> S_L, regroup(p_c, L), distribute(l_L), compose(sum, l_L), compose(sum, L) "
            "// derived from codelet c (c_c)\n");
}

TEST(Rules, Figure55Derivation) {
  Program program(sumProgram(), cpuSimple());
  std::vector<std::string> expected{
      "compose(sum, L)",
      "-> compose(c_c, L) // Select",
      "-> compose(sum(map(sum, partition(..., p_c))), L) // expand c_c",
      "-> compose(map(sum, partition(..., p_c)), L), compose(sum, L) // Cascade",
      "-> compose(partition(..., p_c), L), compose(map(sum, ...), L), compose(sum, L) // Cascade",
      "-> S_L, regroup(p_c, L), compose(map(sum, ...), L), compose(sum, L) // Regroup",
      "-> S_L, regroup(p_c, L), distribute(l_L), compose(sum, l_L), compose(sum, L) // Distribute"};
  EXPECT_EQ(derivation(*program.module, "sum", "c"), expected);
  std::vector<std::string> atomic{"compose(sum, L)", "-> compose(c_b, L) // Select",
                                  "-> compute(c_b, VE_L) // Compute"};
  EXPECT_EQ(derivation(*program.module, "sum", "b"), atomic);
}

TEST(Rules, Figure56) {
  Program program(sumProgram(), cpuSimple());
  EXPECT_EQ(print(rules(*program.module, program.hardware, program.facts, "sum", "process")),
            "P1: compose(sum, P) -> S_P, devolve(T), compose(sum, T)\n"
            "P4: compose(sum, P) -> S_P, regroup(p_c, P), distribute(T), compose(sum, T), compose(sum, P)\n"
            "P5: compose(sum, P) -> S_P, regroup(p_d, P), distribute(T), compose(sum, T), compose(sum, P)\n");
  EXPECT_EQ(print(rules(*program.module, program.hardware, program.facts, "sum", "thread")),
            "T2: compose(sum, T) -> compute(c_a, SE_T)\n");
}

TEST(Rules, Figure57) {
  Program program(sumProgram(), gpuSimple());
  auto at = [&](const std::string &level) {
    return print(rules(*program.module, program.hardware, program.facts, "sum", level));
  };
  EXPECT_EQ(at("grid"),
            "G1: compose(sum, G) -> S_G, devolve(B), compose(sum, B)\n"
            "G4: compose(sum, G) -> S_G, regroup(p_c, G), distribute(B), compose(sum, B), compose(sum, G)\n"
            "G5: compose(sum, G) -> S_G, regroup(p_d, G), distribute(B), compose(sum, B), compose(sum, G)\n");
  EXPECT_EQ(at("block"),
            "B1: compose(sum, B) -> S_B, devolve(T), compose(sum, T)\n"
            "B3: compose(sum, B) -> compute(c_b, VE_B)\n"
            "B4: compose(sum, B) -> S_B, regroup(p_c, B), distribute(T), compose(sum, T), compose(sum, B)\n"
            "B5: compose(sum, B) -> S_B, regroup(p_d, B), distribute(T), compose(sum, T), compose(sum, B)\n");
  EXPECT_EQ(at("thread"), "T2: compose(sum, T) -> compute(c_a, SE_T)\n");
}

TEST(Rules, WithEveryWayToRunAMap) {
  // What the figures leave out "for brevity and clarity".
  Program program(sumProgram(true, false, true, false), gpuSimple());
  EXPECT_EQ(print(rules(*program.module, program.hardware, program.facts, "sum", "thread", MapRules::All)),
            "T2: compose(sum, T) -> compute(c_a, SE_T)\n"
            "T3s: compose(sum, T) -> S_T, regroup(p_c, T), serial(T), compose(sum, T), compose(sum, T)\n");
  EXPECT_EQ(print(rules(*program.module, program.hardware, program.facts, "sum", "block", MapRules::All)),
            "B1: compose(sum, B) -> S_B, devolve(T), compose(sum, T)\n"
            "B3d: compose(sum, B) -> S_B, regroup(p_c, B), distribute(T), compose(sum, T), compose(sum, B)\n"
            "B3s: compose(sum, B) -> S_B, regroup(p_c, B), serial(B), compose(sum, B), compose(sum, B)\n"
            "B3p: compose(sum, B) -> S_B, regroup(p_c, B), split(..., B), distribute(T), compose(map(sum), T), "
            "compose(sum, B)\n");
}

TEST(Rules, UnknownNamesAreErrors) {
  Program program(sumProgram(), cpuSimple());
  EXPECT_EQ(thrown([&] { rules(*program.module, "sun"); }).message, "there is no spectrum 'sun'");
  Diagnostic d = thrown([&] { rules(*program.module, program.hardware, program.facts, "sum", "tread"); });
  EXPECT_EQ(d.message, "there is no level 'tread'");
  EXPECT_NE(d.advice.find("'thread'"), std::string::npos);
  EXPECT_EQ(thrown([&] { derivation(*program.module, "sum", "z"); }).message, "there is no codelet 'z'");
}

} // namespace
} // namespace tangram
