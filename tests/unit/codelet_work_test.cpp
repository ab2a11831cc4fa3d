// What a codelet does by itself, counted from its source.
#include "SumProgram.h"
#include "tangram/planning/CodeletWork.h"

#include <cmath>

namespace tangram {
namespace {

using namespace test;

struct Counted {
  explicit Counted(const std::string &text) : program(text, cpuModern()) {}
  CodeletWork of(std::size_t codelet, std::optional<std::uint64_t> elements,
                 const std::map<std::string, std::int64_t> &tunables = {}, std::uint64_t lanes = 1) const {
    const ast::Spectrum *sum = program.module->spectrums[0];
    return CodeletWorks(*program.module, program.facts).of(*sum->codelets[codelet], {{elements}}, tunables, lanes);
  }
  Program program;
};

TEST(CodeletWork, ALoopOverAllElements) {
  Counted sum(sumProgram());
  CodeletWork work = sum.of(0, 1000);
  EXPECT_EQ(work.turns, 1000);
  ASSERT_EQ(work.accesses.size(), 1u);
  EXPECT_EQ(work.accesses[0].loads, 1000);
  EXPECT_EQ(work.accesses[0].stores, 0);
  EXPECT_EQ(work.accesses[0].bytes, 4u);
  EXPECT_EQ(work.accesses[0].pattern.perIteration, Stride::Unit);
  EXPECT_EQ(work.operations, 4000); // compared, counted, added, an address
  EXPECT_EQ(work.dependent, 1000);  // on what was added before
  EXPECT_EQ(work.accesses[0].rows, 1);
  EXPECT_EQ(work.accesses[0].run, 1000);
  EXPECT_FALSE(work.guessed);

  work = sum.of(0, {});
  EXPECT_TRUE(work.guessed);
  EXPECT_EQ(work.accesses[0].loads, kUnknownTurns);
  EXPECT_EQ(sum.of(0, 0).accesses[0].loads, 0);
}

TEST(CodeletWork, ATreeOfLanes) {
  Counted sum(sumProgram());
  CodeletWork work = sum.of(1, 32, {}, 32);
  EXPECT_EQ(work.turns, 5); // 1, 2, 4, 8, 16
  EXPECT_EQ(work.shared, 1 + 5 * 3 + 1);
  EXPECT_EQ(work.accesses[0].loads, 0.5); // in one of two ways
  EXPECT_EQ(sum.of(1, 1024, {}, 1024).turns, 10);
}

/// What one codelet over `in`, of so many elements, and `out` does.
CodeletWork workOf(const std::vector<std::string> &statements, std::uint64_t elements, bool coop = false,
                   std::uint64_t lanes = 1) {
  std::string params = "(Param \"in\" array<1,i32> in) (Param \"out\" array<1,i32> inout)";
  Program program(module({spectrum("sum", {codelet("x", statements, coop, "", "", params)}, "void", params)}, {kMin}),
                  cpuModern());
  return CodeletWorks(*program.module, program.facts).of(*program.codelet("x"), {{elements}, {elements}}, {}, lanes);
}
TEST(CodeletWork, PlacesAConstantDistanceApart) {
  // out[i] = in[i - 1] + in[i] + in[i + 1] + in[2 * i]
  auto element = [](const std::string &index) { return fmt::format("(Subscript i32 {} [{}])", kIn, index); };
  const std::string i = var("u32", "i"), one = lit("u32", 1);
  const std::string sum = bin("i32", "add",
                              bin("i32", "add", bin("i32", "add", element(bin("u32", "sub", i, one)), element(i)),
                                  element(bin("u32", "add", i, one))),
                              element(bin("u32", "mul", lit("u32", 2), i)));
  const CodeletWork work =
      workOf({declare("u32", "i", lit("u32", 1)), fmt::format("(Evaluate (Assign i32 set (Subscript i32 {} [{}]) {}))",
                                                              var("array<1,i32>", "out"), i, sum)},
             100);
  EXPECT_EQ(work.accesses[0].loads, 4);
  EXPECT_EQ(work.accesses[0].references, 4u);
  EXPECT_EQ(work.accesses[0].origins, 2u); // i - 1, i and i + 1 are one; 2 * i is another
  EXPECT_EQ(work.accesses[0].streams, 2u);
  EXPECT_EQ(work.accesses[1].references, 0u); // it is stored
}

const std::string kI = var("u32", "i");
std::string loop(const std::string &name, const std::string &from, const std::string &to, const std::string &by,
                 const std::vector<std::string> &body) {
  return fmt::format("(For {} {} (Assign u32 add {} {}) (Block [{}]))", declare("u32", name, from),
                     bin("bool", "lt", var("u32", name), to), var("u32", name), by, fmt::join(body, " "));
}
std::string element(const std::string &container, const std::string &index) {
  return fmt::format("(Subscript i32 {} [{}])", var("array<1,i32>", container), index);
}
std::string add(const std::string &to, const std::string &value) {
  return fmt::format("(Evaluate (Assign i32 add {} {}))", to, value);
}
const std::string kElements = cast("u32", size(var("array<1,i32>", "in")));

TEST(CodeletWork, BranchesThatDataDecides) {
  // if (in[i] < least) { out[0] = i; least = in[i]; }
  const std::string least = var("i32", "least"), compare = bin("bool", "lt", element("in", kI), least);
  const std::string stored = fmt::format("(Evaluate (Assign i32 set {} {}))", element("out", lit("u32", 0)), kI),
                    closer = fmt::format("(Evaluate (Assign i32 set {} {}))", least, element("in", kI));
  auto loops = [&](const std::vector<std::string> &then, std::uint64_t abreast) {
    std::string params = "(Param \"in\" array<1,i32> in) (Param \"out\" array<1,i32> inout)";
    const std::string branch = fmt::format("(If {} (Block [{}]) -)", compare, fmt::join(then, " "));
    Program program(module({spectrum("sum",
                                     {codelet("x",
                                              {declare("i32", "least", lit("i32", 0)),
                                               loop("i", lit("u32", 0), kElements, lit("u32", 1), {branch})},
                                              false, "", "", params)},
                                     "void", params)},
                           {kMin}),
                    cpuModern());
    return CodeletWorks(*program.module, program.facts).of(*program.codelet("x"), {{1000}, {1000}}, {}, 1, abreast);
  };
  const CodeletWork extreme = loops({stored, closer}, 1);
  EXPECT_NEAR(extreme.accesses[1].stores, 1 + std::log(1000), 0.1); // a random order has so many records
  EXPECT_NEAR(extreme.mispredictions, 1 + std::log(1000), 0.1);
  EXPECT_NEAR(loops({stored, closer}, 16).accesses[1].stores, 16 * (1 + std::log(1000)), 2);
  // One that brings nothing closer may go either way.
  EXPECT_EQ(loops({stored}, 1).accesses[1].stores, 1000);
  EXPECT_EQ(loops({stored}, 1).mispredictions, 500);
  // For one that only sets a variable processors need no jump.
  const std::string set = fmt::format("(Evaluate (Assign i32 set {} {}))", var("i32", "least"), kI);
  EXPECT_EQ(loops({set}, 1).mispredictions, 0);
}

TEST(CodeletWork, PartsBetweenNeighbouringBounds) {
  // for (i...) for (k = in[i]; k < in[i + 1]; ++k) out[k] += 1;
  const std::string k = var("u32", "k"), one = lit("u32", 1);
  auto bound = [&](const std::string &index) { return cast("u32", element("in", index)); };
  std::string params = "(Param \"in\" array<1,i32> in) (Param \"out\" array<1,i32> inout)";
  const std::string rows = bin("u32", "sub", kElements, one);
  auto work = [&](const std::string &to) {
    Program program(
        module({spectrum("sum",
                         {codelet("x",
                                  {loop("i", lit("u32", 0), rows, one,
                                        {loop("k", bound(kI), to, one, {add(element("out", k), lit("i32", 1))})})},
                                  false, "", "", params)},
                         "void", params)},
               {kMin}),
        cpuModern());
    return CodeletWorks(*program.module, program.facts).of(*program.codelet("x"), {{11}, {1000}}, {});
  };
  const CodeletWork parts = work(bound(bin("u32", "add", kI, one)));
  EXPECT_EQ(parts.accesses[1].stores, 1000); // all of it, once
  EXPECT_EQ(parts.bounds, std::set<std::size_t>{0});
  EXPECT_FALSE(parts.uneven);
  EXPECT_NE(work(bound(bin("u32", "add", kI, lit("u32", 2)))).accesses[1].stores, 1000); // no neighbours
}

TEST(CodeletWork, ClampedIndicesMoveLikeWhatTheyClamp) {
  // x += in[i]; x += in[std::min(i + 1, 99)];
  const std::string x = var("i32", "x"), right = bin("u32", "add", kI, lit("u32", 1)), last = lit("u32", 99);
  const CodeletWork work = workOf({declare("i32", "x", lit("i32", 0)),
                                   loop("i", lit("u32", 0), lit("u32", 100), lit("u32", 1),
                                        {add(x, element("in", kI)), add(x, element("in", least(right, last)))})},
                                  100);
  EXPECT_EQ(work.accesses[0].pattern.perIteration, Stride::Unit);
  EXPECT_EQ(work.accesses[0].references, 2u);
  EXPECT_EQ(work.accesses[0].origins, 1u);
  EXPECT_EQ(work.accesses[0].bounded, 100);
  // A variable that is a sum.
  const CodeletWork named = workOf(
      {declare("i32", "x", lit("i32", 0)),
       loop("i", lit("u32", 0), lit("u32", 100), lit("u32", 1),
            {declare("u32", "next", right), add(x, element("in", kI)), add(x, element("in", var("u32", "next")))})},
      101);
  EXPECT_EQ(named.accesses[0].origins, 1u);
  EXPECT_EQ(named.accesses[0].bounded, 0);
  const CodeletWork lanes = workOf(
      {declare("u32", "i", "(CoopIdx u32)"), declare("i32", "x", element("in", least(right, last)))}, 100, true, 64);
  EXPECT_EQ(lanes.accesses[0].pattern.perLane, Stride::Unit);
}

TEST(CodeletWork, WhatALoopDoesNotMoveIsLoadedBeforeIt) {
  const std::string sum = declare("i32", "sum", lit("i32", 0)), accum = var("i32", "sum");
  auto body = [&](const std::string &to, const std::string &value) {
    return std::vector<std::string>{sum,
                                    loop("i", lit("u32", 0), kElements, lit("u32", 1),
                                         {loop("r", lit("u32", 0), lit("u32", 8), lit("u32", 1), {add(to, value)})})};
  };
  EXPECT_EQ(workOf(body(accum, element("in", kI)), 100).accesses[0].loads, 100);
  EXPECT_EQ(workOf(body(accum, element("in", bin("u32", "add", kI, var("u32", "r")))), 100).accesses[0].loads, 800);
  // What is stored in the loop may be what is loaded.
  EXPECT_EQ(workOf(body(element("out", var("u32", "r")), element("in", kI)), 100).accesses[0].loads, 800);
}

TEST(CodeletWork, WhatAllTurnsTouch) {
  auto run = [&](const std::string &index) {
    return workOf(
               {loop("i", lit("u32", 0), lit("u32", 10), lit("u32", 1), {add(element("out", index), lit("i32", 1))})},
               1000)
        .accesses[1];
  };
  EXPECT_EQ(run(kI).run, 10);
  EXPECT_EQ(run(bin("u32", "mul", kI, lit("u32", 3))).run, 28);
  EXPECT_EQ(run(bin("u32", "div", kI, lit("u32", 4))).run, 3);
  EXPECT_EQ(run(bin("u32", "rem", kI, lit("u32", 4))).run, 4);
  EXPECT_TRUE(run(cast("u32", element("in", kI))).anywhere);
  // Lanes together.
  CodeletWork lanes =
      workOf({loop("i", "(CoopIdx u32)", kElements, "(CoopDim u32)", {add(element("out", kI), lit("i32", 1))})}, 1024,
             true, 64);
  EXPECT_EQ(lanes.turns, 16);
  EXPECT_EQ(lanes.accesses[1].stores, 16);
  EXPECT_EQ(lanes.accesses[1].run, 1024);
}

TEST(CodeletWork, ALoopEndsWhereTheFirstOfTwoConditionsDoes) {
  auto turns = [&](const std::string &cond) {
    return workOf({fmt::format("(For {} {} (Unary u32 preinc {}) (Block [{}]))", declare("u32", "i", lit("u32", 0)),
                               cond, kI, add(element("out", kI), lit("i32", 1)))},
                  100)
        .turns;
  };
  const std::string ten = bin("bool", "lt", kI, lit("u32", 10)), all = bin("bool", "lt", kI, kElements);
  EXPECT_EQ(turns(bin("bool", "logand", ten, all)), 10);
  EXPECT_EQ(turns(bin("bool", "logor", ten, all)), 100);
  EXPECT_EQ(turns(bin("bool", "lt", bin("u32", "add", kI, lit("u32", 1)), kElements)), 99);
  EXPECT_EQ(turns(bin("bool", "lt", bin("u32", "mul", kI, kI), kElements)), 10);
  EXPECT_EQ(turns(bin("bool", "le", kI, lit("u32", 10))), 11);
  EXPECT_EQ(turns(bin("bool", "ge", lit("u32", 10), kI)), 11);
  // Of a bound that nothing is known of: as many as there are to go through.
  EXPECT_EQ(turns(bin("bool", "lt", kI, cast("u32", element("in", lit("u32", 0))))), 100);
}

TEST(CodeletWork, WhatEachTurnReadsAgainIsCounted) {
  // for i < 100: for j < elements: s += in[j], or in[in[j]]
  auto nested = [](unsigned elements, bool indirect = false) {
    const std::string j = var("u32", "j"), at = indirect ? cast("u32", element("in", j)) : j;
    const std::string inner =
        fmt::format("(For {} {} (Unary u32 preinc {}) (Block [{}]))", declare("u32", "j", lit("u32", 0)),
                    bin("bool", "lt", j, lit("u32", elements)), j,
                    fmt::format("(Evaluate (Assign i32 add {} {}))", var("i32", "s"), element("in", at)));
    return workOf({declare("i32", "s", lit("i32", 0)),
                   fmt::format("(For {} {} (Unary u32 preinc {}) (Block [{}]))", declare("u32", "i", lit("u32", 0)),
                               bin("bool", "lt", kI, lit("u32", 100)), kI, inner)},
                  100)
        .accesses[0];
  };
  EXPECT_EQ(nested(16).loads, 1600);
  EXPECT_EQ(nested(16).repeated, 1584);
  EXPECT_EQ(nested(64).repeated, 0) << "more than registers hold";
  EXPECT_EQ(nested(64).repeatedGathers, 6336) << "vectors are kept in memory that is near";
  EXPECT_EQ(nested(16, true).loads, 3200);
  EXPECT_EQ(nested(16, true).repeated, 1584) << "the index alone: no pass holds what data finds";
}

TEST(CodeletWork, LoopsOfWhichOnlyTheRunShowsTheLengthAreNotUnrolled) {
  auto operations = [](const std::string &end) {
    return workOf({fmt::format("(For {} {} (Unary u32 preinc {}) (Block [{}]))", declare("u32", "i", lit("u32", 0)),
                               bin("bool", "lt", kI, end), kI, add(element("out", kI), lit("i32", 1)))},
                  8)
        .operations;
  };
  EXPECT_EQ(operations(kElements), operations(lit("u32", 8)) + 8 * 2); // compared and counted
}

TEST(CodeletWork, ALoopUpToATileTurnsAsOftenAsTheTileIsWide) {
  const std::string from = var("u32", "from"), to = bin("u32", "add", from, lit("u32", 8));
  const std::string end = fmt::format("(Conditional u32 {} {} {})", bin("bool", "lt", to, kElements), to, kElements);
  auto work = [&](const std::string &begin, bool lanes) {
    return workOf({declare("u32", "from", begin),
                   fmt::format("(For {} {} (Unary u32 preinc {}) (Block [{}]))", declare("u32", "i", from),
                               bin("bool", "lt", kI, end), kI, add(element("out", kI), lit("i32", 1)))},
                  100, lanes, lanes ? 4 : 1);
  };
  const std::string byData = cast("u32", element("in", lit("u32", 0)));
  EXPECT_EQ(work(byData, false).turns, 8);
  EXPECT_FALSE(work(byData, false).guessed);
  // Lanes begin apart, each with a tile of its own.
  EXPECT_EQ(work(bin("u32", "add", byData, "(CoopIdx u32)"), true).turns, 8);
}

TEST(CodeletWork, WhatWasLoadedIsAtHand) {
  auto loads = [&](const std::vector<std::string> &body) {
    return workOf({loop("i", lit("u32", 0), kElements, lit("u32", 1), body)}, 100).accesses[0].loads;
  };
  const std::string in = element("in", kI), other = element("in", bin("u32", "add", kI, lit("u32", 1)));
  const std::string out = element("out", kI);
  EXPECT_EQ(loads({add(out, bin("i32", "mul", in, in))}), 100);
  EXPECT_EQ(loads({add(out, bin("i32", "mul", in, other))}), 200);
  EXPECT_EQ(loads({declare("i32", "a", in), add(var("i32", "a"), in)}), 100);
  // What is stored between may be the same element.
  EXPECT_EQ(loads({add(out, in), add(out, in)}), 200);
}

TEST(CodeletWork, SmallArraysAreRegistersWhereLoopsOverThemAreUnrolled) {
  const std::string own = "(Declare \"own\" i32 false false [(IntLit u64 16)] - -)";
  auto accesses = [&](std::uint64_t turns) {
    std::string at = bin("u32", "rem", kI, lit("u32", 16));
    const CodeletWork work =
        workOf({own, loop("i", lit("u32", 0), lit("u32", turns), lit("u32", 1), {add(element("own", at), kI)})}, 100);
    return work.accesses[2].loads + work.accesses[2].stores;
  };
  EXPECT_EQ(accesses(64), 0);
  EXPECT_EQ(accesses(65), 130);
}

TEST(CodeletWork, ALoopThatGoesOnTurnsLessOftenThanTheOneAroundIt) {
  const std::string j = var("u32", "j"), stop = bin("bool", "lt", element("in", j), lit("i32", 0));
  const std::string on =
      fmt::format("(For - {} (Unary u32 preinc {}) (Block [{}]))", stop, j, add(element("out", j), lit("i32", 1)));
  auto stores = [&](const std::vector<std::string> &statements) { return workOf(statements, 100).accesses[1].stores; };
  auto all = [&](const std::vector<std::string> &body) {
    return loop("i", lit("u32", 0), kElements, lit("u32", 1), body);
  };
  EXPECT_EQ(stores({declare("u32", "j", lit("u32", 0)), all({on})}), 50);
  EXPECT_EQ(stores({all({declare("u32", "j", kI), on})}), 100 * 50); // as an insertion: half of what there is
}

TEST(CodeletWork, LoopsThatBeginWhereAnotherOneIsAreHalfAsLongInTheMean) {
  const std::string next = bin("u32", "add", kI, lit("u32", 1)), square = bin("u32", "mul", kI, kI);
  auto stores = [&](const std::string &counted, const std::string &begin) {
    const std::string inner =
        loop("j", begin, kElements, lit("u32", 1), {add(element("out", var("u32", "j")), lit("i32", 1))});
    return workOf({fmt::format("(For {} {} (Unary u32 preinc {}) (Block [{}]))", declare("u32", "i", lit("u32", 0)),
                               bin("bool", "lt", counted, kElements), kI, inner)},
                  100)
        .accesses[1]
        .stores;
  };
  EXPECT_NEAR(stores(kI, next), 100 * 50, 100);
  EXPECT_NEAR(stores(next, next), 99 * 50, 100);
  EXPECT_NEAR(stores(square, kI), 10 * 95, 10);
}

TEST(CodeletWork, LongChainsOfVariablesAreFollowedOnce) {
  std::vector<std::string> body{declare("u32", "v0", lit("u32", 1))};
  for (int i = 1; i < 60; ++i) {
    std::string before = var("u32", fmt::format("v{}", i - 1));
    body.push_back(declare("u32", fmt::format("v{}", i), bin("u32", "mul", before, before)));
  }
  const std::string last = var("u32", "v59");
  body.push_back(loop("i", lit("u32", 0), kElements, lit("u32", 1),
                      {declare("i32", "x", element("in", last)), declare("u32", "y", bin("u32", "div", kI, last))}));
  const CodeletWork work = workOf(body, 100);
  EXPECT_EQ(work.accesses[0].loads, 1); // the same in all turns
  EXPECT_EQ(work.divisions, 0);         // by a constant
}

TEST(CodeletWork, NeighboursOfAnUnrolledLoopAreLoadedTogether) {
  auto shared = [](const std::string &index, bool byOne) {
    const std::string r = var("u32", "r"), step = byOne ? "(Unary u32 preinc " + r + ")"
                                                        : "(Assign u32 mul " + r + " " + lit("u32", 2) + ")";
    return workOf({"(Declare \"t\" i32 false true [" + lit("u32", 256) + "] - -)",
                   declare("u32", "lane", "(CoopIdx u32)"), declare("i32", "sum", lit("i32", 0)),
                   fmt::format("(For {} {} {} (Block [{}]))", declare("u32", "r", lit("u32", byOne ? 0 : 1)),
                               bin("bool", "lt", r, lit("u32", byOne ? 8 : 256)), step,
                               add(var("i32", "sum"), fmt::format("(Subscript i32 {} [{}])", var("i32", "t"), index)))},
                  100, true, 32)
        .shared;
  };
  const std::string lane = var("u32", "lane"), r = var("u32", "r"), eight = lit("u32", 8), four = lit("u32", 4);
  // 16 bytes at a time, which lanes with different ones have to share the width for.
  EXPECT_EQ(shared(r, true), 2);
  EXPECT_EQ(shared(bin("u32", "add", bin("u32", "mul", lane, eight), r), true), 4);
  EXPECT_EQ(shared(bin("u32", "add", bin("u32", "mul", r, lit("u32", 32)), lane), true), 8);
  // By twos: r / 4 * 128 + lane * 4 + r % 4 has runs of four.
  const std::string runs = bin("u32", "add", bin("u32", "mul", bin("u32", "div", r, four), lit("u32", 128)),
                               bin("u32", "add", bin("u32", "mul", lane, four), bin("u32", "rem", r, four)));
  EXPECT_EQ(shared(runs, true), 4);
  EXPECT_EQ(shared(bin("u32", "add", lane, r), false), 8); // 1, 2, 4, ...
}

TEST(CodeletWork, CallsOfNeighbouringNumbersOverlap) {
  // sum += in[i + r] for 7 values of r, of call i
  auto overlap = [](const std::string &index) {
    const std::string params = "(Param \"in\" array<1,i32> in) (Param \"i\" u32 in)", r = var("u32", "r");
    Program program(module({spectrum("sum",
                                     {codelet("x",
                                              {declare("i32", "sum", lit("i32", 0)),
                                               loop("r", lit("u32", 0), lit("u32", 7), lit("u32", 1),
                                                    {add(var("i32", "sum"), element("in", index))})},
                                              false, "", "", params)},
                                     "void", params)}),
                    cpuModern());
    return CodeletWorks(*program.module, program.facts)
        .of(*program.codelet("x"), {{100}, {}}, {})
        .accesses[0]
        .overlapRun;
  };
  const std::string i = var("u32", "i"), r = var("u32", "r");
  EXPECT_EQ(overlap(bin("u32", "add", i, r)), 7);
  EXPECT_EQ(overlap(bin("u32", "add", bin("u32", "mul", i, lit("u32", 7)), r)), 1);
  EXPECT_EQ(overlap(r), 1);
}

TEST(CodeletWork, WhatLanesScatter) {
  auto apart = [](const std::string &index) {
    return workOf({"(Declare \"t\" i32 false true [" + lit("u32", 256) + "] - -)",
                   declare("u32", "lane", "(CoopIdx u32)"),
                   fmt::format("(Evaluate (Assign i32 set (Subscript i32 {} [{}]) {}))", var("i32", "t"), index,
                               element("in", var("u32", "lane")))},
                  100, true, 32)
        .sharedApart;
  };
  const std::string lane = var("u32", "lane");
  EXPECT_EQ(apart(lane), 0);
  EXPECT_EQ(apart(lit("u32", 3)), 0);
  EXPECT_EQ(apart(bin("u32", "mul", lane, lit("u32", 8))), 1);
}

TEST(CodeletWork, NumbersWithAFractionAreInRegistersOfVectors) {
  const CodeletWork work =
      workOf({declare("u32", "a", lit("u32", 1)), declare("f32", "b", "(FloatLit f32 1)"),
              declare("f64", "c", "(FloatLit f64 1)"), "(Declare \"d\" f32 false false [" + lit("u32", 8) + "] - -)"},
             100);
  EXPECT_EQ(work.values, 3 + 8);
  EXPECT_EQ(work.arrays, 8);
  EXPECT_EQ(work.fractions, 1 + 2 + 8);
}

TEST(CodeletWork, WhatIsTheSameInAllLanesIsInOneVector) {
  auto fractions = [](const std::string &index) {
    const std::string own = "(Subscript f64 (VarRef array<1,f64> \"d\") [" + lit("u64", 0) + "])";
    return workOf({declare("u32", "lane", "(CoopIdx u32)"),
                   "(Declare \"d\" f64 false false [" + lit("u32", 8) + "] - -)",
                   "(Evaluate (Assign f64 set " + own + " (Cast f64 " + element("in", index) + ")))"},
                  4096, true, 64)
        .fractions;
  };
  EXPECT_EQ(fractions(lit("u32", 3)), 8);
  EXPECT_EQ(fractions(var("u32", "lane")), 16);
}

TEST(CodeletWork, HowFarLanesAreApart) {
  auto access = [](const std::string &index) {
    return workOf({declare("u32", "lane", "(CoopIdx u32)"), declare("i32", "x", element("in", index))}, 4096, true, 64)
        .accesses[0];
  };
  const std::string lane = var("u32", "lane"), many = lit("u32", 16);
  EXPECT_EQ(access(bin("u32", "mul", lane, lit("u32", 4))).distance, 16);
  EXPECT_EQ(access(bin("u32", "mul", lane, lit("u32", 4))).pattern.perLane, Stride::Constant);
  // In rows of 16: neighbours but for the last of each.
  const std::string rows = bin("u32", "add", bin("u32", "mul", bin("u32", "div", lane, many), lit("u32", 64)),
                               bin("u32", "rem", lane, many));
  EXPECT_EQ(access(rows).distance, 4);
  EXPECT_EQ(access(rows).pattern.perLane, Stride::Unit);
  EXPECT_EQ(access(lit("u32", 3)).pattern.perLane, Stride::Zero);
}

TEST(CodeletWork, TurnsThatLanesHaveSideBySide) {
  const std::string lane = "(CoopIdx u32)", lanes = "(CoopDim u32)", sum = var("i32", "sum");
  const std::string store = add(element("out", kI), element("in", kI)), more = add(sum, element("in", kI));
  const auto turns = [&](const std::string &begin, const std::string &step, const std::string &body) {
    return workOf({declare("i32", "sum", lit("i32", 0)), loop("i", begin, kElements, step, {body})}, 4096, true, 64)
        .laneTurns;
  };
  EXPECT_EQ(turns(lane, lanes, store), 64);
  EXPECT_EQ(turns(lane, lanes, more), 0); // each lane has a sum of its own
  EXPECT_EQ(turns(lit("u32", 0), lit("u32", 1), store), 0);
}

TEST(CodeletWork, FewAccessesDoNotSayHowFarLanesAreApart) {
  // x += in[lane + i] in a loop, and in[lane * 4 + k] so often
  const std::string lane = var("u32", "lane");
  auto access = [&](int often) {
    std::vector<std::string> statements{declare("u32", "lane", "(CoopIdx u32)"), declare("i32", "x", lit("i32", 0)),
                                        loop("i", lit("u32", 0), lit("u32", 100), lit("u32", 1),
                                             {add(var("i32", "x"), element("in", bin("u32", "add", lane, kI)))})};
    for (int k = 0; k < often; ++k)
      statements.push_back(add(
          var("i32", "x"), element("in", bin("u32", "add", bin("u32", "mul", lane, lit("u32", 4)), lit("u32", k)))));
    return workOf(statements, 4096, true, 64).accesses[0];
  };
  EXPECT_EQ(access(1).distance, 4);
  EXPECT_EQ(access(1).pattern.perLane, Stride::Unit);
  EXPECT_EQ(access(20).distance, 16);
  EXPECT_EQ(access(20).pattern.perLane, Stride::Constant);
}

TEST(CodeletWork, LanesInRowsAreARowApart) {
  const std::string in = var("array<2,i32>", "in"), params = "(Param \"in\" array<2,i32> in)";
  const std::string x = declare("i32", "x", fmt::format("(Subscript i32 {} [(CoopIdx u32) {}])", in, lit("u32", 1)));
  const Program program(module({spectrum("sum", {codelet("x", {x}, true, "", "", params)}, "void", params)}),
                        cpuModern());
  CodeletWorks works(*program.module, program.facts);
  EXPECT_EQ(works.of(*program.codelet("x"), {{100, 3}}, {}, 64).accesses[0].distance, 12);
  EXPECT_EQ(works.of(*program.codelet("x"), {{100, {}}}, {}, 64).accesses[0].distance, 0); // not known
}

TEST(CodeletWork, WhatIsUnderWayIsNotWaitedFor) {
  const std::string own = "(Declare \"own\" i32 false false [(IntLit u64 4)] - -)", r = var("u32", "r");
  const std::string load = loop(
      "r", lit("u32", 0), lit("u32", 4), lit("u32", 1),
      {fmt::format("(Evaluate (Assign i32 set {} {}))", element("own", r), element("in", bin("u32", "add", kI, r)))});
  auto ahead = [&](const std::vector<std::string> &statements) {
    const CodeletWork work = workOf(statements, 100);
    return work.accesses[0].ahead / work.accesses[0].loads;
  };
  auto all = [&](const std::vector<std::string> &body) {
    return loop("i", lit("u32", 0), kElements, lit("u32", 1), body);
  };
  EXPECT_EQ(ahead({own, all({load})}), 1);                                      // for the next turn
  EXPECT_EQ(ahead({all({own, load})}), 0.75);                                   // four at a time
  EXPECT_EQ(ahead({all({add(element("out", kI), element("in", kI))})}), 0.875); // of eight turns
  EXPECT_EQ(ahead({all({add(element("in", kI), element("in", kI))})}), 0);      // it may be what was stored before
  const std::string next = fmt::format("(Evaluate (Assign u32 set {} (Cast u32 {})))", var("u32", "at"),
                                       element("in", bin("u32", "add", var("u32", "at"), kI)));
  EXPECT_EQ(ahead({declare("u32", "at", lit("u32", 0)), all({next})}), 0); // each says where the next one is
}

TEST(CodeletWork, WhatLanesKeepInRegisters) {
  const std::string id = var("u32", "id"), array = "(Declare \"tmp\" i32 false true [(CoopDim u32)] - -)";
  auto tmp = [](const std::string &index) { return fmt::format("(Subscript i32 {} [{}])", var("i32", "tmp"), index); };
  auto work = [&](const std::string &stored, const std::string &loaded) {
    return workOf({array, declare("u32", "id", "(CoopIdx u32)"),
                   fmt::format("(Evaluate (Assign i32 set {} {}))", tmp(stored), element("in", id)),
                   add(element("out", id), tmp(loaded))},
                  32, true, 32);
  };
  const std::string next = bin("u32", "add", id, lit("u32", 1));
  EXPECT_EQ(work(id, id).ownOfLane, 1); // what was stored is at hand
  EXPECT_EQ(work(id, id).exchanged, 0);
  EXPECT_EQ(work(id, next).ownOfLane, 1);
  EXPECT_EQ(work(id, next).exchanged, 1);
  EXPECT_EQ(work(next, id).ownOfLane + work(next, id).exchanged, 0); // lanes write others' elements
}

TEST(CodeletWork, WaysOfABranchThatIsKnown) {
  auto loads = [](std::int64_t one) {
    const std::string choice =
        fmt::format("(If {} (Block [{}]) (Block []))", bin("bool", "eq", lit("u32", one), lit("u32", 1)),
                    add(element("out", lit("u32", 0)), element("in", lit("u32", 0))));
    return workOf({choice}, 100).accesses[0].loads;
  };
  EXPECT_EQ(loads(1), 1);
  EXPECT_EQ(loads(2), 0);
}

TEST(CodeletWork, WhatLoopsDoNotChangeIsComputedBeforeThem) {
  auto operations = [](const std::string &value) {
    return workOf({declare("i32", "sum", lit("i32", 0)), declare("i32", "f", element("in", lit("u32", 0))),
                   loop("i", lit("u32", 0), kElements, lit("u32", 1), {add(var("i32", "sum"), value)})},
                  1000)
        .operations;
  };
  const std::string f = var("i32", "f"), i = cast("i32", kI);
  const double without = operations(f);
  EXPECT_NEAR(operations(bin("i32", "mul", f, f)), without, 2);
  EXPECT_NEAR(operations(bin("i32", "mul", f, i)), without + 1000, 2);
}

TEST(CodeletWork, NumbersThatCallsDifferInDecideNoBranchWhereTheyAreAlike) {
  auto loads = [](ast::BinaryOp op, std::int64_t row, std::int64_t column) {
    const std::string params = "(Param \"in\" array<1,i32> in) (Param \"row\" u32 in) (Param \"column\" u32 in)";
    const std::string body =
        fmt::format("(If {} (Block [{}]) -)",
                    bin("bool", op == ast::BinaryOp::Lt ? "lt" : "eq", var("u32", "row"), var("u32", "column")),
                    declare("i32", "x", element("in", lit("u32", 0))));
    const Program program(module({spectrum("sum", {codelet("x", {body}, false, "", "", params)}, "void", params)}),
                          cpuModern());
    CodeletWorks works(*program.module, program.facts);
    const Extents one{100}, none;
    return works.of(*program.codelet("x"), {one, none, none}, {{"row", row}, {"column", column}}).accesses[0].loads;
  };
  EXPECT_EQ(loads(ast::BinaryOp::Lt, 50, 51), 0.5); // the middle of two ranges
  EXPECT_EQ(loads(ast::BinaryOp::Lt, 51, 50), 0.5);
  EXPECT_EQ(loads(ast::BinaryOp::Lt, 53, 100), 1); // the middle of a range, and its end
  EXPECT_EQ(loads(ast::BinaryOp::Lt, 1, 1000), 1);
  EXPECT_EQ(loads(ast::BinaryOp::Lt, 1000, 1), 0);
  EXPECT_EQ(loads(ast::BinaryOp::Eq, 50, 50), 0.125); // rarely, of numbers that may be any
  EXPECT_EQ(loads(ast::BinaryOp::Eq, 1, 1000), 0);
}

TEST(CodeletWork, WhatALoopCountsIsNoConstant) {
  // Though it begins as a number.
  EXPECT_EQ(workOf({loop("i", lit("u32", 1), kElements, lit("u32", 1),
                         {declare("u32", "x", bin("u32", "rem", lit("u32", 1000), kI))})},
                   100)
                .divisions,
            99);
}

TEST(CodeletWork, WhatStandsInMapsIsTheirs) {
  Counted sum(sumProgram());
  CodeletWork work = sum.of(2, 1000, {{"p", 4}});
  EXPECT_EQ(work.accesses[0].loads, 0);
  EXPECT_EQ(work.sites.size(), 2u);
  for (const auto &[site, times] : work.sites) EXPECT_EQ(times, 1);
  EXPECT_EQ(work.divisions, 0); // of the tile's length: a tunable is a constant of the code
}

} // namespace
} // namespace tangram
