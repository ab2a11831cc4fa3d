// Parallelism, locality and level matching (section 6.5).
#include "SumProgram.h"

#include "tangram/ast/Walk.h"

namespace tangram {
namespace {

using namespace test;

// ---- parallelism: Algorithms 2 and 3 ----

TEST(ParallelismAnalysis, FourSums) {
  Program program(sumProgram(), gpuSimple());
  const Parallelism &a = program.facts.codelets.at(program.codelet("a")),
                    &b = program.facts.codelets.at(program.codelet("b")),
                    &c = program.facts.codelets.at(program.codelet("c")), &all = program.facts.spectrums.at("sum");
  EXPECT_TRUE(a.autonomous && !a.cooperative && !a.compound && !a.hasMap && !a.hasTunable && !a.recursive);
  EXPECT_TRUE(!b.autonomous && b.cooperative && !b.compound && !b.hasMap);
  EXPECT_TRUE(!c.autonomous && !c.cooperative && c.compound && c.hasMap && c.hasTunable && c.recursive);
  EXPECT_TRUE(all.autonomous && all.cooperative && all.compound && all.hasMap && all.hasTunable && all.recursive);
}

TEST(ParallelismAnalysis, PropagatesThroughCallsDeclaredInAnyOrder) {
  auto calls = [](const std::string &callee) {
    return codelet("x", {fmt::format("(Return {})", call("i32", callee, {kIn}))});
  };
  // s0 calls s1 calls s2 ... calls sum, which has a map: the worst order to visit them in; and the best.
  for (bool forward : {true, false}) {
    std::vector<std::string> spectrums;
    for (int i = 0; i < 6; ++i)
      spectrums.push_back(spectrum(fmt::format("s{}", i), {calls(i == 5 ? "sum" : fmt::format("s{}", i + 1))}));
    spectrums.push_back(spectrum("sum", {serialSum(), tiledSum("c", false)}));
    spectrums.push_back(spectrum("leaf", {serialSum()}));
    spectrums.push_back(spectrum("plain", {calls("leaf")}));
    if (!forward) std::reverse(spectrums.begin(), spectrums.end());
    Program program(module(spectrums), cpuSimple());
    EXPECT_TRUE(program.facts.spectrums.at("s0").hasMap);
    EXPECT_TRUE(program.facts.codelets.at(program.codelet("x", "s3")).hasMap);
    EXPECT_FALSE(program.facts.spectrums.at("s0").recursive);
    EXPECT_FALSE(program.facts.spectrums.at("plain").hasMap);
    EXPECT_TRUE(program.facts.spectrums.at("plain").compound);
  }
  // Two spectrums that call each other.
  Program cycle(module({spectrum("a", {calls("b")}), spectrum("b", {calls("a"), serialSum("y")})}), cpuSimple());
  EXPECT_TRUE(cycle.facts.spectrums.at("a").recursive);
  EXPECT_TRUE(cycle.facts.codelets.at(cycle.codelet("x", "b")).recursive);
  EXPECT_FALSE(cycle.facts.codelets.at(cycle.codelet("y", "b")).recursive);
}

// ---- level matching: Table 6.1 ----

TEST(LevelMatching, Table61) {
  hardware::Hardware one{"one", {level("s", "S", true, false, "", 1)}},
      vector{"one", {level("v", "V", false, true, "", 1)}};
  hardware::Hardware distribute{"two", {level("d", "D", false, false, "x", 1), level("x", "X", true, true, "", 2)}};
  auto allowed = [](const hardware::Hardware &machine, const std::string &codelet, std::size_t at) {
    Program program(sumProgram(), machine);
    return program.facts.matches.at({program.codelet(codelet), machine.levels[at].name}).allowed;
  };
  EXPECT_TRUE(allowed(one, "a", 0));
  EXPECT_FALSE(allowed(one, "b", 0));
  EXPECT_TRUE(allowed(one, "c", 0)); // as a loop
  EXPECT_FALSE(allowed(vector, "a", 0));
  EXPECT_TRUE(allowed(vector, "b", 0));
  EXPECT_TRUE(
      allowed(vector, "c", 0)); // beyond the table: 5.2.1 allows a loop where there is a computational capability
  EXPECT_FALSE(allowed(distribute, "a", 0));
  EXPECT_FALSE(allowed(distribute, "b", 0));
  EXPECT_TRUE(allowed(distribute, "c", 0));
  Program program(sumProgram(), distribute);
  EXPECT_EQ(program.facts.matches.at({program.codelet("b"), "x"}).capability, ast::Capability::Vector);
  EXPECT_EQ(program.facts.matches.at({program.codelet("a"), "x"}).capability, ast::Capability::Scalar);
  EXPECT_EQ(program.facts.matches.at({program.codelet("c"), "x"}).capability, ast::Capability::None);
}

// ---- locality ----

const PartitionPattern &pattern(const Program &program, const std::string &codelet) {
  const PartitionPattern *found = nullptr;
  ast::walk(program.codelet(codelet)->body, [&](const ast::Partition &p) { found = &program.facts.partitions.at(&p); });
  return *found;
}

TEST(Locality, PartitionsOfFigure43) {
  Program program(sumProgram(), gpuSimple());
  EXPECT_EQ(pattern(program, "c").withinPart, Stride::Unit);
  EXPECT_EQ(pattern(program, "c").acrossParts, Stride::Constant);
  EXPECT_EQ(pattern(program, "c").tiling, hardware::Tiling::Adjacent);
  EXPECT_EQ(pattern(program, "d").withinPart, Stride::Constant);
  EXPECT_EQ(pattern(program, "d").acrossParts, Stride::Unit);
  EXPECT_EQ(pattern(program, "d").tiling, hardware::Tiling::Strided);
}

TEST(Locality, AccessesOfFigure43) {
  Program program(module({spectrum("sum", {serialSum(), treeSum()})}), gpuSimple());
  const AccessPattern &a = program.facts.accesses.at({program.codelet("a"), "in"}),
                      &b = program.facts.accesses.at({program.codelet("b"), "in"});
  EXPECT_EQ(a.perIteration, Stride::Unit);
  EXPECT_EQ(a.perLane, Stride::Zero);
  EXPECT_EQ(b.perIteration, Stride::Zero);
  EXPECT_EQ(b.perLane, Stride::Unit);
}

TEST(Locality, PropagatesThroughPartitionsAndRecursion) {
  Program program(sumProgram(true, false, true, true), gpuSimple());
  const AccessPattern &c = program.facts.accesses.at({program.codelet("c"), "in"}),
                      &d = program.facts.accesses.at({program.codelet("d"), "in"});
  // A tile may itself be cut into strided tiles.
  EXPECT_EQ(c.perIteration, Stride::Constant);
  EXPECT_EQ(c.perLane, Stride::Constant);
  EXPECT_EQ(d.perIteration, Stride::Constant);
  EXPECT_EQ(d.perLane, Stride::Unit);
  Program adjacent(sumProgram(true, false, true, false), gpuSimple());
  EXPECT_EQ(adjacent.facts.accesses.at({adjacent.codelet("c"), "in"}).perIteration, Stride::Unit);
}

/// Strides of accesses to `in` of a codelet with these statements.
AccessPattern accesses(const std::vector<std::string> &statements, bool coop = false) {
  Program program(module({spectrum("sum", {codelet("x", statements, coop)})}, {kMin}), gpuSimple());
  return program.facts.accesses.at({program.codelet("x"), "in"});
}
std::string use(const std::string &index) { return fmt::format("(Evaluate (Subscript i32 {} [{}]))", kIn, index); }
std::string loop(const std::string &name, const std::string &step, const std::string &body,
                 const std::string &from = lit("u32", 0)) {
  return fmt::format("(For {} {} {} (Block [{}]))", declare("u32", name, from),
                     bin("bool", "lt", var("u32", name), lit("u32", 99)), step, body);
}
std::string next(const std::string &name) { return fmt::format("(Unary u32 preinc {})", var("u32", name)); }
std::string advance(const std::string &op, const std::string &name, const std::string &by) {
  return fmt::format("(Assign u32 {} {} {})", op, var("u32", name), by);
}

TEST(Locality, StridesOfLoops) {
  std::string i = var("u32", "i"), j = var("u32", "j"), n = var("u32", "n");
  std::string declareN = declare("u32", "n", cast("u32", size(kIn)));
  auto stride = [&](const std::vector<std::string> &s) { return accesses(s).perIteration; };
  EXPECT_EQ(stride({use(lit("u32", 3))}), Stride::Zero);
  EXPECT_EQ(stride({loop("i", next("i"), use(i))}), Stride::Unit);
  EXPECT_EQ(stride({loop("i", fmt::format("(Unary u32 postdec {})", i), use(i))}), Stride::Unit);
  EXPECT_EQ(stride({loop("i", next("i"), use(lit("u32", 0)))}), Stride::Zero);
  EXPECT_EQ(stride({loop("i", next("i"), use(bin("u32", "mul", i, lit("u32", 3))))}), Stride::Constant);
  EXPECT_EQ(stride({loop("i", advance("add", "i", lit("u32", 4)), use(i))}), Stride::Constant);
  EXPECT_EQ(stride({declareN, loop("i", advance("add", "i", n), use(i))}), Stride::Constant);
  EXPECT_EQ(stride({loop("i", advance("set", "i", bin("u32", "add", i, lit("u32", 1))), use(i))}), Stride::Unit);
  EXPECT_EQ(stride({loop("i", advance("mul", "i", lit("u32", 2)), use(i))}), Stride::Irregular);
  EXPECT_EQ(stride({loop("i", next("i"), use(bin("u32", "mul", i, i)))}), Stride::Irregular);
  EXPECT_EQ(stride({loop("i", next("i"), use(bin("u32", "rem", i, lit("u32", 7))))}), Stride::Zero); // few elements
  EXPECT_EQ(stride({loop("i", next("i"), use(fmt::format("(Cast u32 (Subscript i32 {} [{}]))", kIn, i)))}),
            Stride::Irregular);
  // Through a variable that names the index; and one that data moves.
  EXPECT_EQ(stride({loop("i", next("i"),
                         declare("u32", "at", bin("u32", "sub", bin("u32", "add", i, i), i)) + use(var("u32", "at")))}),
            Stride::Unit);
  EXPECT_EQ(stride({declare("u32", "at", lit("u32", 0)),
                    loop("i", next("i"),
                         fmt::format("(Evaluate (Assign u32 add {} (Cast u32 (Subscript i32 {} [{}]))))",
                                     var("u32", "at"), kIn, i) +
                             use(var("u32", "at")))}),
            Stride::Irregular);
  // Found by halves: variables that are set from each other, some of them on condition, move who knows how far.
  auto assign = [&](const std::string &name, const std::string &value) {
    return fmt::format("(Evaluate {})", advance("set", name, value));
  };
  std::string lo = var("u32", "lo"), hi = var("u32", "hi"), mid = var("u32", "mid");
  std::string half = bin("u32", "add", lo, bin("u32", "div", bin("u32", "sub", hi, lo), lit("u32", 2)));
  auto halves = [&](const std::string &inside) {
    return fmt::format("{} {} (While {} (Block [{} {} (If {} (Block [{}]) (Block [{}]))]))",
                       declare("u32", "lo", lit("u32", 0)), declare("u32", "hi", cast("u32", size(kIn))),
                       bin("bool", "lt", lo, hi), declare("u32", "mid", half), inside,
                       bin("bool", "lt", mid, lit("u32", 7)), assign("lo", mid), assign("hi", mid));
  };
  EXPECT_EQ(stride({halves(use(mid))}), Stride::Irregular);
  // What was found stays where it is while another loop turns.
  EXPECT_EQ(stride({halves(""), loop("i", next("i"), use(lo))}), Stride::Zero);
  // The innermost loop counts: in[j * n + i], once with i and once with j inside.
  std::string row = bin("u32", "add", bin("u32", "mul", j, n), i);
  EXPECT_EQ(stride({declareN, loop("j", next("j"), loop("i", next("i"), use(row)))}), Stride::Unit);
  EXPECT_EQ(stride({declareN, loop("i", next("i"), loop("j", next("j"), use(row)))}), Stride::Constant);
  // A while loop with a counter; moved on condition only, it is irregular.
  auto whileLoop = [&](const std::string &body) {
    return fmt::format("(While {} (Block [{} {}]))", bin("bool", "lt", i, lit("u32", 9)), use(i), body);
  };
  EXPECT_EQ(stride({declare("u32", "i", lit("u32", 0)), whileLoop(fmt::format("(Evaluate {})", next("i")))}),
            Stride::Unit);
  EXPECT_EQ(stride({declare("u32", "i", lit("u32", 0)),
                    whileLoop(fmt::format("(If {} (Block [(Evaluate {})]) -)", lit("bool", 1), next("i")))}),
            Stride::Irregular);
}

TEST(Locality, StridesOfRowsAndColumnsThatLanesCount) {
  std::string id = "(CoopIdx u32)", n = var("u32", "n");
  std::string declareN = declare("u32", "n", cast("u32", size(kIn)));
  auto stride = [&](const std::string &index) { return accesses({declareN, use(index)}, true).perLane; };
  EXPECT_EQ(stride(bin("u32", "div", id, n)), Stride::Zero); // but for a few of many
  EXPECT_EQ(stride(bin("u32", "rem", id, n)), Stride::Unit);
  EXPECT_EQ(stride(bin("u32", "shr", id, lit("u32", 5))), Stride::Zero);
  EXPECT_EQ(stride(bin("u32", "and", id, lit("u32", 31))), Stride::Unit);
  EXPECT_EQ(stride(bin("u32", "and", id, lit("u32", 5))), Stride::Irregular);
  EXPECT_EQ(stride(bin("u32", "div", bin("u32", "mul", id, lit("u32", 12)), lit("u32", 4))), Stride::Constant);
  EXPECT_EQ(stride(bin("u32", "rem", bin("u32", "mul", id, lit("u32", 12)), lit("u32", 4))), Stride::Zero);
  EXPECT_EQ(stride(bin("u32", "div", id, lit("u32", 2))), Stride::Unit); // the same, or the next one
  EXPECT_EQ(stride(bin("u32", "rem", id, lit("u32", 2))), Stride::Zero); // by turns
  EXPECT_EQ(stride(bin("u32", "div", bin("u32", "mul", id, lit("u32", 3)), lit("u32", 2))), Stride::Constant);
  EXPECT_EQ(stride(least(bin("u32", "add", id, lit("u32", 1)), n)), Stride::Unit);
  auto scaled = [&](const std::string &by) {
    return cast("u32", bin("f32", "mul", cast("f32", id), fmt::format("(FloatLit f32 {})", by)));
  };
  EXPECT_EQ(stride(scaled("0.5")), Stride::Unit); // the same or a neighbour
  EXPECT_EQ(stride(scaled("2")), Stride::Constant);
}

TEST(Locality, WhatOnlySomeLanesSetDiffers) {
  std::string at = var("u32", "at"), id = "(CoopIdx u32)";
  auto stride = [&](const std::string &condition) {
    return accesses({declare("u32", "at", lit("u32", 0)),
                     fmt::format("(If {} (Block [(Evaluate (Assign u32 set {} {}))]) -)", condition, at, lit("u32", 0)),
                     use(at)},
                    true)
        .perLane;
  };
  EXPECT_EQ(stride(bin("bool", "lt", cast("u32", size(kIn)), lit("u32", 9))), Stride::Zero);
  EXPECT_EQ(stride(bin("bool", "lt", id, lit("u32", 9))), Stride::Irregular);
}

TEST(Locality, WhatIsDeclaredOnConditionIsAlikeThere) {
  std::string i = var("u32", "i"), id = "(CoopIdx u32)";
  const auto few = [&](const std::string &body) {
    return fmt::format("(If {} (Block [{}]) -)", bin("bool", "lt", id, lit("u32", 9)), body);
  };
  const auto stride = [&](const std::string &body) { return accesses({body}, true).perLane; };
  EXPECT_EQ(stride(few(loop("i", next("i"), use(bin("u32", "add", i, id))))), Stride::Unit);
  EXPECT_EQ(stride(few(loop("i", next("i"), use(i)))), Stride::Zero);
  // A second condition makes the difference again.
  EXPECT_EQ(stride(few(declare("u32", "i", lit("u32", 0)) + few(fmt::format("(Evaluate {})", next("i"))) + use(i))),
            Stride::Irregular);
}

TEST(Locality, StridesOfLanes) {
  std::string i = var("u32", "i"), id = "(CoopIdx u32)", dim = "(CoopDim u32)";
  auto stride = [&](const std::vector<std::string> &s) { return accesses(s, true).perLane; };
  EXPECT_EQ(stride({use(id)}), Stride::Unit);
  EXPECT_EQ(stride({use(bin("u32", "mul", id, lit("u32", 2)))}), Stride::Constant);
  EXPECT_EQ(stride({use(bin("u32", "mul", id, cast("u32", size(kIn))))}), Stride::Constant);
  EXPECT_EQ(stride({use(lit("u32", 0))}), Stride::Zero);
  // Neighbours stay together, in another order.
  EXPECT_EQ(stride({use(bin("u32", "xor", id, lit("u32", 1)))}), Stride::Unit);
  EXPECT_EQ(stride({use(bin("u32", "xor", id, bin("u32", "mul", id, lit("u32", 2))))}), Stride::Irregular);
  // for (i = coopIdx(); ...; i += coopDim()) in[i]
  AccessPattern strided = accesses({loop("i", advance("add", "i", dim), use(i), id)}, true);
  EXPECT_EQ(strided.perLane, Stride::Unit);
  EXPECT_EQ(strided.perIteration, Stride::Constant);
  EXPECT_EQ(accesses({loop("i", advance("add", "i", id), use(i), lit("u32", 0))}, true).perLane, Stride::Irregular);
}

TEST(Locality, IndicesThatComeOutOfContainers) {
  std::string i = var("u32", "i"), j = var("u32", "j"), inner = fmt::format("(Subscript i32 {} [{}])", kIn, i);
  std::string looked = cast("u32", inner);
  EXPECT_TRUE(accesses({loop("i", next("i"), use(looked))}).indirect);
  EXPECT_TRUE(accesses({loop("i", next("i"), fmt::format("{} {}", declare("u32", "j", looked), use(j)))}).indirect);
  EXPECT_FALSE(accesses({loop("i", next("i"), fmt::format("{} {}", declare("u32", "j", i), use(j)))}).indirect);
  // An index that data ends is regular.
  std::string until = fmt::format("(If {} (Block [(Break)]) -)", cast("bool", inner));
  EXPECT_FALSE(accesses({loop("i", next("i"), until)}).indirect);
}

TEST(Locality, NeighbouringCallsOfAMap) {
  std::string x = var("array<1,i32>", "x"), at = var("u32", "at");
  std::string scalars = "(Param \"at\" u32 in) (Param \"x\" array<1,i32> in)";
  auto looks = [&](const std::string &index) {
    return spectrum("look",
                    {codelet("a", {fmt::format("(Return (Subscript i32 {} [{}]))", x, index)}, false, "", "", scalars)},
                    "i32", scalars);
  };
  std::string params = "(Param \"in\" array<1,u32> in) (Param \"x\" array<1,i32> in)";
  std::string in = var("array<1,u32>", "in");
  // A map over the elements of `in`, and a call of it all in a loop.
  std::string each =
      codelet("each", {fmt::format("(Return {})", map("array<1,i32>", "look", {in, x}))}, false, "", "", params);
  auto across = [&](const std::string &index) {
    Program program(module({spectrum("sum", {each}, "array<1,i32>", params), looks(index)}), gpuSimple());
    EXPECT_EQ(program.facts.arguments.size(), 1u);
    const auto &[site, arguments] = *program.facts.arguments.begin();
    EXPECT_EQ(arguments.size(), 2u);
    EXPECT_EQ(arguments[0].parameter, 0u);
    EXPECT_TRUE(arguments[0].loaded && !arguments[0].whole);
    EXPECT_EQ(arguments[0].across, Stride::Unit);
    EXPECT_EQ(arguments[1].parameter, 1u);
    EXPECT_TRUE(arguments[1].whole && !arguments[1].loaded);
    EXPECT_EQ(arguments[1].within, Stride::Unit);
    return program.facts.acrossCalls(*ast::as<ast::Map>(site));
  };
  EXPECT_EQ(across(lit("u32", 3)), Stride::Unit); // of `in` itself
  EXPECT_EQ(across(at), Stride::Irregular);       // what stands in `in` is where x is touched

  // Of a spectrum that passes on what it is given, it depends on the caller.
  auto indirect = [&](const std::string &index) {
    std::string body = fmt::format("(Evaluate {})", call("i32", "look", {index, x}));
    Program program(
        module({spectrum("sum", {codelet("c", {loop("i", next("i"), body)}, false, "", "", params)}, "void", params),
                looks(at)}),
        gpuSimple());
    return program.facts.accesses.at({program.codelet("c"), "x"}).indirect;
  };
  EXPECT_FALSE(indirect(var("u32", "i")));
  EXPECT_TRUE(indirect(fmt::format("(Subscript u32 {} [{}])", in, var("u32", "i"))));
}

TEST(Locality, OtherPartitions) {
  std::string n = var("u32", "n"), zero = lit("u32", 0), one = lit("u32", 1), two = lit("u32", 2);
  auto patternOf = [&](const std::string &starts, const std::string &incs) {
    std::string parts = partition("array<1,i32>", kIn, n, starts, incs, sequence(n));
    Program program(
        module({spectrum(
            "sum",
            {serialSum(),
             codelet("x", {declare("u32", "n", cast("u32", size(kIn))),
                           fmt::format("(Return {})", call("i32", "sum", {map("array<1,i32>", "sum", {parts})}))})})}),
        gpuSimple());
    return pattern(program, "x");
  };
  PartitionPattern broadcast = patternOf(sequence(zero), sequence(one));
  EXPECT_EQ(broadcast.acrossParts, Stride::Zero);
  EXPECT_EQ(broadcast.tiling, hardware::Tiling::Any);
  EXPECT_EQ(patternOf(sequence(zero, zero, n), sequence(one)).acrossParts, Stride::Zero);
  EXPECT_EQ(patternOf(sequence(zero, two, n), sequence(one)).tiling, hardware::Tiling::Adjacent);
  EXPECT_EQ(patternOf(sequence(zero, one, n), sequence(two)).tiling, hardware::Tiling::Strided);
  EXPECT_EQ(patternOf(sequence(zero, one, n), sequence(zero)).withinPart, Stride::Unit); // 0 counts as 1
  std::string through = fmt::format("(Sequence u32 {} {} {} {})", kIn, zero, one, n);
  PartitionPattern irregular = patternOf(through, sequence(one));
  EXPECT_EQ(irregular.acrossParts, Stride::Irregular);
  EXPECT_EQ(irregular.tiling, hardware::Tiling::Any);
}

// ---- index ranges: what a map over them touches in containers that all calls are given ----

/// double_at(i, in): in[i + 1] * 2; each: map(double_at, numbers, in); parts: map(doubles, partition(numbers, ...),
/// in).
struct RangesProgram {
  /// `given`: what doubles() is given; `more`: parameters in front.
  static std::string text(const std::string &given, const std::string &more = "") {
    const std::string numbers = var("array<1,u64>", "numbers"), p = var("u32", "p");
    const std::string params = "(Param \"numbers\" array<1,u64> in) (Param \"in\" array<1,i32> inout)";
    auto changed = [](const std::string &index) {
      const std::string element = fmt::format("(Subscript i32 (VarRef array<1,i32> \"in\") [{}])", index);
      return fmt::format("(Evaluate (Assign i32 mul {} {}))", element, lit("i32", 2));
    };
    const std::string one = lit("u64", 1), tile = var("u64", "tile"), end = lit("u64", 1000);
    const std::string adjacent =
        fmt::format("(Partition array<1,array<1,u64>> {} [{}] [(Sequence u64 - {} {} {})] [(Sequence u64 - {} - -)] "
                    "[(Sequence u64 - {} {} {})])",
                    numbers, p, lit("u64", 0), tile, end, one, tile, tile, end);
    const std::string loop =
        fmt::format("(For {} {} (Unary u64 preinc {}) (Block [{}]))", declare("u64", "k", lit("u64", 0)),
                    bin("bool", "lt", var("u64", "k"), size(numbers)), var("u64", "k"),
                    changed(fmt::format("(Subscript u64 {} [{}])", numbers, var("u64", "k"))));
    return module({spectrum("root",
                            {codelet("r", {fmt::format("(Evaluate {})", call("void", "doubles", {given, kIn}))}, false,
                                     "", "", more + "(Param \"in\" array<1,i32> inout)")},
                            "void", more + "(Param \"in\" array<1,i32> inout)"),
                   spectrum("doubles",
                            {codelet("serial", {loop}, false, "", "", params),
                             codelet("each", {fmt::format("(Evaluate {})", map("void", "double_at", {numbers, kIn}))},
                                     false, "", "", params),
                             codelet("parts",
                                     {tunable("p"), declare("u64", "tile", lit("u64", 10)),
                                      fmt::format("(Evaluate {})", map("void", "doubles", {adjacent, kIn}))},
                                     false, "", "", params)},
                            "void", params),
                   spectrum("double_at",
                            {codelet("one", {changed(bin("u64", "add", var("u64", "i"), one))}, false, "", "",
                                     "(Param \"i\" u64 in) (Param \"in\" array<1,i32> inout)")},
                            "void", "(Param \"i\" u64 in) (Param \"in\" array<1,i32> inout)")});
  }
  static std::string range(int step) {
    return fmt::format("(Sequence array<1,u64> - {} {} {})", lit("u64", 0), lit("u64", step), lit("u64", 1000));
  }
};

PassedArgument passedByMap(const Program &program, const std::string &codelet) {
  PassedArgument result;
  ast::walk(program.codelet(codelet, "doubles")->body,
            [&](const ast::Map &m) { result = program.facts.arguments.at(&m).at(1); });
  return result;
}
Stride acrossOfMap(const Program &program, const std::string &codelet) { return passedByMap(program, codelet).across; }

TEST(Locality, RangesAreNumbersThatMapsCount) {
  const Program program(RangesProgram::text(RangesProgram::range(1)), cpuSimple());
  EXPECT_TRUE(program.facts.ranges.count({program.codelet("each", "doubles"), "numbers"}));
  EXPECT_EQ(acrossOfMap(program, "each"), Stride::Unit);
  EXPECT_EQ(passedByMap(program, "each").step, 1);
  EXPECT_EQ(acrossOfMap(program, "parts"), Stride::Constant); // tiles of 10
  EXPECT_FALSE(passedByMap(program, "parts").step);
  const AccessPattern &serial = program.facts.accesses.at({program.codelet("serial", "doubles"), "in"});
  EXPECT_EQ(serial.perIteration, Stride::Unit);
  EXPECT_FALSE(serial.indirect);
}

TEST(Locality, NumbersOfRowsMoveByRows) {
  const std::string in = var("array<2,i32>", "in"), rows = "(Param \"in\" array<2,i32> inout)";
  const std::string one = "(Param \"i\" u64 in) " + rows;
  const std::string place = fmt::format("(Subscript i32 {} [{} {}])", in, var("u64", "i"), lit("u64", 1));
  const std::string store = fmt::format("(Evaluate (Assign i32 set {} {}))", place, lit("i32", 1));
  const std::string each = fmt::format("(Evaluate {})", map("void", "row", {RangesProgram::range(2), in}));
  const Program program(module({spectrum("doubles", {codelet("each", {each}, false, "", "", rows)}, "void", rows),
                                spectrum("row", {codelet("one", {store}, false, "", "", one)}, "void", one)}),
                        cpuSimple());
  const PassedArgument passed = passedByMap(program, "each");
  EXPECT_EQ(passed.across, Stride::Constant);
  EXPECT_EQ(passed.step, 2);
  EXPECT_EQ(passed.stepDimensions, 1u);
}

TEST(Locality, NumbersOfACollapsedLoopBeginAnewBehindEachRow) {
  const std::string in = var("array<1,i32>", "in"), row = "(Param \"row\" array<1,u64> in) ";
  const std::string rows = row + "(Param \"in\" array<1,i32> inout)", one = "(Param \"i\" u64 in) " + rows;
  const std::string width = var("array<1,u64>", "row");
  const std::string place = fmt::format("(Subscript i32 {} [{}])", in, bin("u64", "rem", var("u64", "i"), size(width)));
  const std::string store = fmt::format("(Evaluate (Assign i32 set {} {}))", place, lit("i32", 1));
  const auto passed = [&](const std::string &given) {
    const std::string each = fmt::format("(Evaluate {})", map("void", "at", {RangesProgram::range(1), given, in}));
    const Program program(module({spectrum("doubles", {codelet("each", {each}, false, "", "", rows)}, "void", rows),
                                  spectrum("at", {codelet("one", {store}, false, "", "", one)}, "void", one)}),
                          cpuSimple());
    PassedArgument result;
    ast::walk(program.codelet("each", "doubles")->body,
              [&](const ast::Map &m) { result = program.facts.arguments.at(&m).at(2); });
    return result;
  };
  EXPECT_EQ(passed(width).across, Stride::Unit);
  EXPECT_EQ(passed(width).wraps, 0u); // 'row' of the codelet that maps
  EXPECT_FALSE(passed(RangesProgram::range(1)).wraps);
}

TEST(Locality, RangesOfAStepAndContainersOfNumbers) {
  const Program stepped(RangesProgram::text(RangesProgram::range(3)), cpuSimple());
  EXPECT_EQ(acrossOfMap(stepped, "each"), Stride::Constant);
  EXPECT_EQ(passedByMap(stepped, "each").step, 3);
  EXPECT_EQ(stepped.facts.accesses.at({stepped.codelet("serial", "doubles"), "in"}).perIteration, Stride::Constant);
  // A container of numbers: data says where.
  const Program given(RangesProgram::text(var("array<1,u64>", "keys"), "(Param \"keys\" array<1,u64> in) "),
                      cpuSimple());
  EXPECT_TRUE(given.facts.ranges.empty());
  EXPECT_EQ(acrossOfMap(given, "each"), Stride::Irregular);
}

} // namespace
} // namespace tangram
