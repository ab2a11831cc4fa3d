// The forest: what is in it, how much, in which order, and why the rest is not.
#include "SumProgram.h"
#include "tangram/compose/Count.h"
#include "tangram/planning/Cost.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <map>
#include <random>
#include <set>

namespace tangram {
namespace {

using namespace test;

std::vector<Plan> all(const Forest &forest) {
  std::vector<Plan> plans;
  forest.enumerate([&](const Plan &plan) {
    plans.push_back(plan);
    return true;
  });
  return plans;
}

std::vector<PlanPtr> byDefault(const Forest &forest, GoalId id) {
  const Point &point = forest.point(id);
  std::vector<PlanPtr> result;
  for (std::size_t rule : rulesAt(point)) {
    const Alternative &alternative = point.alternatives[rule];
    std::vector<std::vector<PlanPtr>> combinations(1);
    for (GoalId child : alternative.children) {
      std::vector<std::vector<PlanPtr>> longer;
      for (const PlanPtr &below : byDefault(forest, child))
        for (std::vector<PlanPtr> children : combinations) {
          children.push_back(below);
          longer.push_back(std::move(children));
        }
      combinations = std::move(longer);
    }
    for (std::vector<PlanPtr> &children : combinations)
      result.push_back(makePlanNode(point, alternative, std::move(children)));
  }
  return result;
}

/// Those of which all values are the default ones.
std::vector<Plan> byDefault(const Forest &forest) {
  std::vector<Plan> plans;
  for (PlanPtr &root : byDefault(forest, forest.root()))
    plans.push_back({forest.spectrum(), forest.hardware().name, {}, {}, {}, {}, std::move(root)});
  return plans;
}

std::set<std::string> notations(const Program &program, const Forest &forest) {
  std::set<std::string> result;
  for (const Plan &plan : byDefault(forest)) result.insert(program.notation(plan));
  return result;
}

std::string rejection(const Forest &forest, const std::string &level, const std::string &codelet, unsigned depth,
                      Rule rule = Rule::Select) {
  std::string found;
  for (GoalId id = 0; id < forest.size(); ++id) {
    const Point &point = forest.point(id);
    if (point.plain || point.level != level || point.depth != depth) continue;
    for (const Rejection &r : forest.rejections(id))
      if (r.rule == rule && r.codelet == codelet && found.empty()) found = r.reason;
  }
  return found;
}

// ---- Figure 5.8: compose(sum, B) with codelets a, b and c on a block and its threads ----

TEST(Forest, Figure58) {
  Program program(sumProgram(true, true, true, false), blockAndThreads());
  std::set<std::string> found = notations(program, program.forest(3));
  // The four plans of the figure. The first is guarded here: the figure's codelet silently sums no more elements than
  // there are threads, so it may stand alone only where the container provably has no more.
  EXPECT_TRUE(found.count("compute(c_b, VE_B) if in.size() <= coopDim() else (S_B, devolve(T), compute(c_a, SE_T))"));
  EXPECT_TRUE(found.count("S_B, devolve(T), compute(c_a, SE_T)"));
  EXPECT_TRUE(found.count("S_B, regroup(p_c, B), distribute(T), compute(c_a, SE_T), compute(c_b, VE_B)"));
  EXPECT_TRUE(
      found.count("S_B, regroup(p_c, B), distribute(T), compute(c_a, SE_T), S_B, devolve(T), compute(c_a, SE_T)"));
  // The figure shows four "possible" plans. Three rules deep there are 23: of the others, some distribute the partial
  // sums once more, and the rest use Serialize and Split, which the chapter leaves out "for brevity and clarity".
  EXPECT_EQ(found.size(), 23u);
  std::size_t withoutSerialAndSplit = 0;
  for (const std::string &plan : found)
    withoutSerialAndSplit += plan.find("serial(") == std::string::npos && plan.find("split(") == std::string::npos;
  EXPECT_EQ(withoutSerialAndSplit, 5u);
  EXPECT_TRUE(found.count("S_B, regroup(p_c, B), distribute(T), compute(c_a, SE_T), "
                          "S_B, regroup(p_c, B), distribute(T), compute(c_a, SE_T), compute(c_b, VE_B)"));
}

TEST(Forest, DepthIsTheNumberOfIterations) {
  Program program(sumProgram(), cpuSimple());
  EXPECT_EQ(program.forest(1).count(), 0);
  EXPECT_EQ(notations(program, program.forest(2)), (std::set<std::string>{"S_P, devolve(T), compute(c_a, SE_T)"}));
  EXPECT_EQ(program.forest(3).depthNeeded(), 2u);
  EXPECT_TRUE(
      notations(program, program.forest(3))
          .count("S_P, regroup(p_c, P), distribute(T), compute(c_a, SE_T), S_P, devolve(T), compute(c_a, SE_T)"));
}

// ---- against a counter that shares nothing ----

/// A random program whose codelets have no requirements, and how often its parts occur.
struct RandomProgram {
  struct Site {
    bool map;
    std::size_t callee;
  };
  std::vector<std::vector<std::vector<Site>>> codelets; // spectrum, codelet
  std::string text;

  explicit RandomProgram(std::mt19937 &random) {
    std::size_t spectrums = 1 + random() % 3;
    std::vector<std::string> parts;
    for (std::size_t s = 0; s < spectrums; ++s) {
      codelets.emplace_back();
      std::vector<std::string> texts;
      for (std::size_t c = 0, n = random() % 4; c < n; ++c) {
        std::vector<Site> sites;
        std::string expr;
        for (std::size_t i = 0, m = random() % 3; i < m; ++i) {
          Site site{random() % 2 == 0, random() % spectrums};
          std::string callee = fmt::format("s{}", site.callee);
          std::string e = site.map
                              ? call("i32", callee, {map("array<1,i32>", callee, {var("array<1,array<1,i32>>", "x")})})
                              : call("i32", callee, {kIn});
          if (site.map) sites.push_back(site);
          sites.push_back({false, site.callee});
          expr = expr.empty() ? e : bin("i32", "add", expr, e);
        }
        texts.push_back(
            codelet(fmt::format("c{}", c), {declare("array<1,array<1,i32>>", "x"),
                                            fmt::format("(Return {})", expr.empty() ? lit("i32", 0) : expr)}));
        codelets.back().push_back(sites);
      }
      parts.push_back(spectrum(fmt::format("s{}", s), texts));
    }
    text = module(parts);
  }

  Count::Number count(const hardware::Hardware &hw, bool map, std::size_t s, std::size_t l, unsigned depth) const {
    const hardware::Level &level = hw.levels[l];
    bool below = level.distributes();
    if (map) {
      Count::Number result = 0;
      if (below) result += count(hw, false, s, l + 1, depth);
      if (level.computes()) result += count(hw, false, s, l, depth);
      if (below && depth > 0) { // a split has two factors, and above lanes chunks of whole lanes
        const bool lanes = std::any_of(hw.levels.begin() + static_cast<std::ptrdiff_t>(l) + 1, hw.levels.end(),
                                       [](auto &at) { return areLanes(at.sync); });
        result += (lanes ? 3 : 2) * count(hw, true, s, l + 1, depth - 1);
      }
      return result;
    }
    Count::Number result = 0;
    if (depth == 0) return result;
    for (const std::vector<Site> &sites : codelets[s]) {
      Count::Number one = sites.empty() ? (level.scalar ? 1 : 0) : 1;
      for (const Site &site : sites)
        if (one > 0) one *= count(hw, site.map, site.callee, l, depth - 1);
      result += one;
    }
    if (below) result += count(hw, false, s, l + 1, depth - 1);
    return result;
  }
};

double cost(const std::string &what) { return static_cast<double>(std::hash<std::string>{}(what) % 7); }
double costOf(const PlanNode &node) {
  double sum = cost(fmt::format("{}{}{}{}", static_cast<int>(node.rule), node.spectrum, node.level, node.codelet));
  for (const PlanPtr &child : node.children) sum += costOf(*child);
  return sum;
}

class SumOfRules final : public Cost {
  Charge of(const Point &point, const Alternative &a, Surroundings) const override {
    return {cost(fmt::format("{}{}{}{}", static_cast<int>(a.rule), point.spectrum, point.level,
                             a.codelet ? a.codelet->name : "")),
            std::vector<double>(a.children.size(), 1)};
  }
};

/// A rule costs more the deeper it stands below others: of surroundings. Of its children each more than the one before.
class DeepIsDear : public Cost {
  Surroundings below(const Point &, const Alternative &, std::size_t child, Surroundings above) const override {
    return std::min<Surroundings>(above + child + 1, 5);
  }
  Charge of(const Point &, const Alternative &a, Surroundings above) const override {
    Charge charge{static_cast<double>(above * 3 + (a.codelet ? cost(a.codelet->name) : 1)), {}};
    for (std::size_t i = 0; i < a.children.size(); ++i) charge.times.push_back(static_cast<double>(i + 1));
    return charge;
  }
};
double deepIsDear(const PlanNode &node, std::uint64_t above) {
  double sum = static_cast<double>(above * 3 + (node.codelet.empty() ? 1 : cost(node.codelet)));
  for (std::size_t i = 0; i < node.children.size(); ++i)
    sum += static_cast<double>(i + 1) * deepIsDear(*node.children[i], std::min<std::uint64_t>(above + i + 1, 5));
  return sum;
}

/// In one of whose surroundings each point is searched.
class Alike final : public DeepIsDear {
  Surroundings alike(Surroundings) const override { return 0; }
};

TEST(Forest, OfSurroundingsThatAreAlikeOneIsSearched) {
  std::mt19937 random(11);
  int compared = 0, exact = 0;
  for (int i = 0; i < 200; ++i) {
    RandomProgram source(random);
    Program program(source.text, random() % 2 ? gpuSimple() : cpuModern());
    const Forest forest = program.forest(4, "s0");
    if (forest.count() < 10) continue;
    ++compared;
    const std::vector<Plan> best = bestPlans(forest, 5, Alike()), least = bestPlans(forest, 1, DeepIsDear());
    ASSERT_FALSE(best.empty());
    // What is found is a plan, no better than the best, and mostly it.
    EXPECT_GE(deepIsDear(*best[0].root, 0), deepIsDear(*least[0].root, 0));
    exact += deepIsDear(*best[0].root, 0) == deepIsDear(*least[0].root, 0);
    std::set<std::string> keys;
    for (const Plan &plan : best) keys.insert(key(plan));
    EXPECT_EQ(keys.size(), best.size());
  }
  EXPECT_GT(compared, 40);
  EXPECT_GE(exact, compared * 9 / 10) << compared;
}

TEST(Forest, CountEnumerateNthAndBestAgreeOnRandomPrograms) {
  std::mt19937 random(7);
  int compared = 0;
  for (int i = 0; i < 300; ++i) {
    RandomProgram source(random);
    hardware::Hardware machine = random() % 2 ? gpuSimple() : cpuModern();
    Program program(source.text, machine);
    unsigned depth = 1 + random() % 4;
    Forest forest = program.forest(depth, "s0");
    EXPECT_EQ(forest.count(), source.count(machine, false, 0, 0, depth)) << source.text;
    if (forest.count() == 0 || forest.count() > 2000) continue;
    ++compared;
    std::vector<Plan> plans = all(forest);
    std::set<std::string> keys;
    for (std::size_t n = 0; n < plans.size(); ++n) {
      keys.insert(key(plans[n]));
      EXPECT_EQ(plans[n], forest.nth(n));
      DiagnosticEngine diags;
      checkPlan(plans[n], *program.module, program.hardware, program.facts, diags);
      EXPECT_TRUE(diags.all().empty());
      EXPECT_EQ(parsePlan(print(plans[n]), "plan", program.arena), plans[n]) << print(plans[n]);
    }
    EXPECT_EQ(keys.size(), plans.size());
    EXPECT_EQ(forest.count(), plans.size());

    // The k best, by sorting all of them.
    std::stable_sort(plans.begin(), plans.end(), [](auto &a, auto &b) { return costOf(*a.root) < costOf(*b.root); });
    std::size_t k = 1 + random() % (plans.size() + 3);
    std::vector<Plan> best = bestPlans(forest, k, SumOfRules());
    ASSERT_EQ(best.size(), std::min(k, plans.size()));
    for (std::size_t n = 0; n < best.size(); ++n) EXPECT_EQ(key(best[n]), key(plans[n])) << "rank " << n;

    // By a cost that is no sum, and depends on what stands above.
    plans = all(forest);
    std::stable_sort(plans.begin(), plans.end(),
                     [](auto &a, auto &b) { return deepIsDear(*a.root, 0) < deepIsDear(*b.root, 0); });
    best = bestPlans(forest, k, DeepIsDear());
    ASSERT_EQ(best.size(), std::min(k, plans.size()));
    keys.clear();
    for (std::size_t n = 0; n < best.size(); ++n) {
      EXPECT_EQ(deepIsDear(*best[n].root, 0), deepIsDear(*plans[n].root, 0)) << "rank " << n;
      keys.insert(key(best[n]));
    }
    EXPECT_EQ(keys.size(), best.size());
  }
  EXPECT_GT(compared, 40);
}

TEST(Forest, CountsWhatCannotBeListed) {
  Program program(sumProgram(), cpuModern());
  Forest forest = program.forest(8);
  EXPECT_GT(forest.count(), Count(boost::multiprecision::pow(Count::Number(10), 80)));
  EXPECT_LT(forest.size(), 700u);
  // Drawing and finding by number work all the same.
  std::mt19937_64 random(1);
  Plan plan = forest.sample(random);
  DiagnosticEngine diags;
  checkPlan(plan, *program.module, program.hardware, program.facts, diags);
  EXPECT_NE(forest.nth(0), forest.nth(forest.count().number() - 1));
}

TEST(Forest, MorePlansThanCanBeCountedIsALimitation) {
  Program program(sumProgram(), cpuModern());
  Forest deep = program.forest(64);
  EXPECT_TRUE(deep.hasPlans());
  Diagnostic d = thrown([&] { deep.count(); });
  EXPECT_EQ(d.cls, DiagnosticClass::Limitation);
  EXPECT_EQ(d.message, "'sum' has too many plans on 'cpu' within the search depth 64: their number alone has more than "
                       "39321 digits");
  EXPECT_GT(program.forest(12).count(), 0);
}

TEST(Forest, SamplesUniformly) {
  Program program(sumProgram(true, true, true, false), blockAndThreads());
  Forest forest = program.forest(3);
  std::map<std::string, int> drawn;
  std::mt19937_64 random(123);
  constexpr int kDraws = 62000;
  for (int i = 0; i < kDraws; ++i) ++drawn[key(forest.sample(random))];
  double expected = kDraws / static_cast<double>(forest.count()), chi2 = 0;
  for (const Plan &plan : all(forest)) chi2 += (drawn[key(plan)] - expected) * (drawn[key(plan)] - expected) / expected;
  EXPECT_EQ(forest.count(), 124);
  EXPECT_LT(chi2, 178); // 123 degrees of freedom, p = 0.001
  EXPECT_EQ(drawn.size(), forest.count());
}

TEST(Forest, DerivesByChoosing) {
  Program program(sumProgram(), cpuSimple());
  Forest forest = program.forest(3);
  Plan first = forest.derive([](GoalId, const Point &) { return std::size_t{0}; });
  EXPECT_EQ(first, forest.nth(0));
  EXPECT_EQ(first.sources.size(), 1u);
  EXPECT_EQ(first.sources.at("sum"), sourceHash(*program.module, "sum"));
}

// ---- sizes and guards ----

TEST(Forest, NotationSaysTheGrainOfASplit) {
  const Program program(sumProgram(), cpuModern());
  const Forest forest = program.forest(4);
  std::optional<Plan> whole;
  forest.enumerate([&](const Plan &plan) {
    if (print(plan).find("grain=") != std::string::npos) whole = plan;
    return !whole;
  });
  ASSERT_TRUE(whole);
  const std::string written = program.notation(*whole);
  EXPECT_NE(written.find("split(4, P, grain=8), distribute(T)"), std::string::npos) << written;
}

TEST(Forest, CooperativeCodeletsAreGuardedUnlessTheyFit) {
  Program program(sumProgram(), gpuSimple());
  Forest forest = program.forest(4);
  for (const Plan &plan : byDefault(forest)) {
    std::string text = print(plan);
    // The results of the 256 threads of a block fit; those of the 1024 blocks do not, nor does the input.
    std::size_t devolved = text.find("\n  devolve to block\n    select b");
    if (devolved != std::string::npos) {
      EXPECT_NE(text.find("select b at block as vector if in.size() <= coopDim()", devolved), std::string::npos)
          << text;
    }
  }
  EXPECT_TRUE(
      notations(program, forest)
          .count("S_G, regroup(p_c, G), distribute(B), S_B, regroup(p_d, B), distribute(T), compute(c_a, SE_T), "
                 "compute(c_b, VE_B), S_G, devolve(B), S_B, regroup(p_d, B), distribute(T), "
                 "compute(c_a, SE_T), compute(c_b, VE_B)"));
  // With no more blocks than threads, the results of the blocks fit a block.
  hardware::Hardware few = gpuSimple();
  few.levels[1].workers.count = 128;
  Program small(sumProgram(), few);
  EXPECT_TRUE(notations(small, small.forest(4))
                  .count("S_G, regroup(p_c, G), distribute(B), S_B, devolve(T), compute(c_a, SE_T), S_G, devolve(B), "
                         "compute(c_b, VE_B)"));
}

TEST(Forest, AGuardAddsNoPlans) {
  Program guarded(sumProgram(true, true, false, false), blockAndThreads());
  EXPECT_EQ(guarded.forest(2).count(), 1); // only devolve, a: the fallback of b would be a rule too deep
  EXPECT_EQ(guarded.forest(3).count(), 2);
  EXPECT_EQ(guarded.forest(6).count(), 2);
}

TEST(Forest, WithoutACodeletToFallBackOnThereIsNoGuard) {
  Program program(sumProgram(false, true, false, false), blockAndThreads());
  Forest forest = program.forest(4);
  EXPECT_EQ(forest.count(), 0);
  EXPECT_EQ(rejection(forest, "block", "b", 4),
            "needs in.size() <= coopDim() = 256, but the container may have more elements, and 'sum' has no autonomous "
            "codelet to fall back on");
}

TEST(Forest, ConditionsOfTheSpectrumAreKnown) {
  std::string most = bin("bool", "le", size(kIn), lit("u64", 200));
  Program program(module({spectrum("sum", {treeSum()}, "i32", "(Param \"in\" array<1,i32> in)", most)}),
                  blockAndThreads());
  EXPECT_EQ(notations(program, program.forest(1)), (std::set<std::string>{"compute(c_b, VE_B)"}));
}

TEST(Forest, EqualSizesAreKnownToBeEqual) {
  // A tree over `in` and `out`, which the spectrum says are as long as each other, called on 64 elements and an
  // unknown.
  std::string out = var("array<1,i32>", "out"),
              params = "(Param \"in\" array<1,i32> in) (Param \"out\" array<1,i32> in)";
  auto at = [](const std::string &c) { return fmt::format("(Evaluate (Subscript i32 {} [(CoopIdx u32)]))", c); };
  auto tree = codelet("tree", {at(kIn), at(out), fmt::format("(Return {})", lit("i32", 0))}, true, "", "", params);
  auto outer = codelet("outer", {"(Declare \"t\" array<1,i32> false false [(IntLit u32 64)] - -)",
                                 fmt::format("(Return {})", call("i32", "both", {var("array<1,i32>", "t"), kIn}))});
  for (bool equal : {true, false}) {
    std::string condition = equal ? bin("bool", "eq", size(out), size(kIn)) : "";
    Program program(module({spectrum("both", {tree}, "i32", params, condition), spectrum("sum", {outer})}),
                    blockAndThreads());
    EXPECT_EQ(program.forest(3).count(), equal ? 1 : 0);
  }
}

TEST(Forest, WrittenRequirementsOfAnyCodelet) {
  std::string few = bin("bool", "le", size(kIn), lit("u64", 4));
  auto fast = codelet("fast", {fmt::format("(Return {})", lit("i32", 0))}, false, "", few);
  Program program(module({spectrum("sum", {serialSum(), fast, tiledSum("c", false)})}), cpuSimple());
  std::set<std::string> found = notations(program, program.forest(3));
  // Four threads leave four partial sums.
  EXPECT_TRUE(
      found.count("S_P, regroup(p_c, P), distribute(T), compute(c_a, SE_T), S_P, devolve(T), compute(c_fast, SE_T)"));
  EXPECT_TRUE(found.count("S_P, devolve(T), compute(c_fast, SE_T) if in.size() <= 4 else (compute(c_a, SE_T))"));
}

TEST(Forest, PlainestDevolvesToScalarCodeAndSerialises) {
  Program cpu(sumProgram(), cpuModern());
  EXPECT_EQ(cpu.notation(*cpu.forest(4).plainest()), "S_P, devolve(T), compute(c_a, SE_T)");
  Program gpu(sumProgram(), gpuSimple());
  EXPECT_EQ(gpu.notation(*gpu.forest(4).plainest()), "S_G, devolve(B), S_B, devolve(T), compute(c_a, SE_T)");
  // However deep plans may be.
  EXPECT_EQ(gpu.forest(2).count(), 0);
  EXPECT_EQ(gpu.notation(*gpu.forest(2).plainest()), gpu.notation(*gpu.forest(4).plainest()));
  // A spectrum that only maps another.
  std::string rows = var("array<1,array<1,i32>>", "rows");
  auto each = codelet("each", {fmt::format("(Return {})", map("array<1,i32>", "sum", {rows}))}, false, "", "",
                      "(Param \"rows\" array<1,array<1,i32>> in)");
  Program two(module({spectrum("sum", {serialSum(), tiledSum("c", false)}),
                      spectrum("sums", {each}, "array<1,i32>", "(Param \"rows\" array<1,array<1,i32>> in)")}),
              cpuSimple());
  EXPECT_EQ(two.notation(*two.forest(4, "sums").plainest()), "S_P, devolve(T), serial(T), compute(c_sum.a, SE_T)");
}

TEST(Forest, TunablesFollowTheWorkersBelow) {
  auto value = [](const std::string &range, const std::string &levelName) -> std::int64_t {
    Program program(module({spectrum("sum", {serialSum(), tiledSum("c", false, range)})}), gpuSimple());
    Forest forest = program.forest(4);
    for (GoalId id = 0; id < forest.size(); ++id)
      for (const Alternative &a : forest.point(id).alternatives)
        if (a.codelet && a.codelet->name == "c" && forest.point(id).level == levelName) return a.parameters.at("p");
    return -1;
  };
  EXPECT_EQ(value("1 0 1 []", "grid"), 1024);
  EXPECT_EQ(value("1 0 1 []", "block"), 256);
  EXPECT_EQ(value("1 0 1 []", "thread"), 1);
  EXPECT_EQ(value("0 0 1 []", "thread"), 1);
  EXPECT_EQ(value("1 100 1 []", "grid"), 100);
  EXPECT_EQ(value("8 1000 32 []", "block"), 232);
  EXPECT_EQ(value("0 0 0 [16 64 512]", "block"), 64);
  EXPECT_EQ(value("0 0 0 [300 400]", "block"), 300);
}

// ---- why not ----

TEST(Forest, RejectionsSayWhy) {
  Program program(sumProgram(), cpuSimple());
  Forest forest = program.forest(3);
  EXPECT_EQ(rejection(forest, "process", "a", 3), "level 'process' has no scalar capability");
  EXPECT_EQ(rejection(forest, "process", "b", 3), "level 'process' has no vector capability");
  EXPECT_EQ(rejection(forest, "thread", "", 2, Rule::Devolve), "no level below 'thread'");
  EXPECT_EQ(rejection(forest, "process", "c", 2), "needs 1 more rule than the search depth 3 leaves");
  EXPECT_EQ(rejection(forest, "process", "", 2, Rule::Serialize),
            "level 'process' has no computational capability to run a loop");
  Forest shallow = program.forest(1);
  EXPECT_EQ(rejection(shallow, "process", "c", 1), "needs 2 more rules than the search depth 1 leaves");
  Program env(module({spectrum("sum", {serialSum(), codelet("x", {fmt::format("(Return {})", lit("i32", 0))}, false,
                                                            "\"gpu\" \"gpu-simple\"")})}),
              cpuSimple());
  EXPECT_EQ(rejection(env.forest(3), "thread", "x", 2),
            "it is for gpu, gpu-simple only (__env), and this is 'cpu-simple'");
  EXPECT_TRUE(env.diags.all().empty());
}

TEST(LevelMatching, ATargetThatThereIsNot) {
  Program env(module({spectrum("sum", {serialSum(), codelet("x", {fmt::format("(Return {})", lit("i32", 0))}, false,
                                                            "\"cpu-simple\" \"gpu-simpel\"")})}),
              cpuSimple());
  ASSERT_EQ(env.diags.all().size(), 1u);
  EXPECT_EQ(env.diags.all()[0].cls, DiagnosticClass::User);
  EXPECT_EQ(env.diags.all()[0].severity, Severity::Error);
  EXPECT_EQ(env.diags.all()[0].message, "codelet 'x' of 'sum' is for target 'gpu-simpel' (__env), which there is not");
  EXPECT_NE(env.diags.all()[0].advice.find("'gpu-simple'"), std::string::npos);
}

// ---- no plan at all ----

Diagnostic noPlan(const std::string &text, hardware::Hardware machine, unsigned depth = 4,
                  const std::string &spectrum = "sum") {
  Program program(text, std::move(machine));
  Diagnostic d = thrown([&] { requirePlans(program.forest(depth, spectrum)); });
  EXPECT_EQ(d.cls, DiagnosticClass::User);
  EXPECT_FALSE(d.advice.empty());
  return d;
}

TEST(RequirePlans, SpectrumWithoutCodelets) {
  EXPECT_EQ(noPlan(module({spectrum("sum", {})}), cpuSimple()).message, "spectrum 'sum' has no codelets");
  Diagnostic d =
      noPlan(module({spectrum("dot", {}),
                     spectrum("sum", {codelet("a", {fmt::format("(Return {})", call("i32", "dot", {kIn}))})})}),
             cpuSimple());
  EXPECT_EQ(d.message, "spectrum 'dot' has no codelets");
  ASSERT_EQ(d.notes.size(), 1u);
  EXPECT_EQ(d.notes[0].message, "'dot' is called here, by codelet 'a' of 'sum'");
}

TEST(RequirePlans, CodeletThatNoLevelCanRun) {
  Diagnostic d = noPlan(sumProgram(false, true, false, false), cpuSimple());
  EXPECT_EQ(d.message, "codelet 'b' is the only one of 'sum', and no level of 'cpu-simple' can run it");
  ASSERT_EQ(d.notes.size(), 1u);
  EXPECT_EQ(d.notes[0].message,
            "codelet 'b': level 'process' has no vector capability; level 'thread' has no vector capability");
  EXPECT_EQ(noPlan(module({spectrum("sum", {treeSum("x"), treeSum("y")})}), cpuSimple()).message,
            "no level of 'cpu-simple' can run any of the 2 codelets of 'sum'");
}

TEST(RequirePlans, RecursionThatNeverEnds) {
  Diagnostic d = noPlan(sumProgram(false, false, true, true), cpuSimple());
  EXPECT_EQ(d.message, "the recursion of 'sum' never ends: on 'cpu-simple', each of its codelets calls 'sum' again, "
                       "directly or through others");
  EXPECT_EQ(d.notes.size(), 2u);
  // Through another spectrum, and with an atomic codelet that this machine cannot run.
  auto through = [](const std::string &callee) {
    return codelet("c", {fmt::format("(Return {})", call("i32", callee, {kIn}))});
  };
  d = noPlan(module({spectrum("sum", {through("other")}), spectrum("other", {through("sum"), treeSum()})}),
             cpuSimple());
  EXPECT_NE(d.message.find("never ends"), std::string::npos) << d.message;
}

TEST(RequirePlans, DepthThatIsTooSmall) {
  Diagnostic d = noPlan(sumProgram(), gpuSimple(), 2);
  EXPECT_EQ(d.message, "'sum' has no plan on 'gpu-simple' within the search depth 2: the shortest needs 3 rules");
  EXPECT_EQ(d.advice, "set 'depth: 3' or more in the target");
}

TEST(RequirePlans, UnknownSpectrum) {
  Program program(sumProgram(), cpuSimple());
  Diagnostic d = thrown([&] { program.forest(3, "sun"); });
  EXPECT_EQ(d.message, "there is no spectrum 'sun'");
  EXPECT_NE(d.advice.find("'sum'"), std::string::npos);
}

TEST(LevelMatching, WarnsOfACodeletThatNoLevelRunsWhereOthersDo) {
  Program program(sumProgram(), cpuSimple());
  ASSERT_EQ(program.diags.all().size(), 1u);
  EXPECT_EQ(program.diags.all()[0].severity, Severity::Warning);
  EXPECT_NE(program.diags.all()[0].message.find("codelet 'b'"), std::string::npos);
  EXPECT_NO_THROW(requirePlans(program.forest(3)));
}

// ---- growth ----

/// `n` codelets in as many spectrums as make eight each, calling each other and themselves.
std::string large(std::size_t n) {
  std::vector<std::string> spectrums;
  std::size_t count = std::max<std::size_t>(n / 8, 1);
  for (std::size_t s = 0; s < count; ++s) {
    std::string self = fmt::format("s{}", s), next = fmt::format("s{}", (s + 1) % count);
    std::vector<std::string> codelets{serialSum(), treeSum()};
    for (std::size_t c = 2; c < n / count; ++c)
      codelets.push_back(tiledSum(fmt::format("c{}", c), c % 2, "1 0 1 []", c % 3 ? self : next));
    spectrums.push_back(spectrum(self, codelets));
  }
  return module(spectrums);
}

TEST(Forest, GrowsWithRulesTimesLevelsNotWithPlans) {
  std::map<std::size_t, std::size_t> points;
  for (std::size_t n : {8u, 80u, 400u, 1000u}) {
    Program program(large(n), cpuModern());
    auto start = std::chrono::steady_clock::now();
    Forest forest = program.forest(6, "s0");
    double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    std::size_t alternatives = 0;
    for (GoalId id = 0; id < forest.size(); ++id) alternatives += forest.point(id).alternatives.size();
    points[n] = forest.size();
    RecordProperty(fmt::format("ms_{}", n), fmt::format("{:.1f}", ms));
    // Points: at most a few for each spectrum, level and depth, and for each of three values of a tunable above. Rules
    // at all of them: in proportion to codelets, and to their values.
    EXPECT_LE(forest.size(), (n / 8) * 4 * 6 * 6 * 3);
    EXPECT_LE(alternatives, n * 4 * 6 * 6 * 3);
    EXPECT_GT(forest.count(), 1000);
  }
  // A deeper search reaches more of the spectrums, one more each rule; all of them are bounded alike.
  EXPECT_LE(points[1000], points[8] * 1000 / 8);
}

TEST(Forest, AThousandCodeletsOfOneSpectrum) {
  std::map<std::size_t, std::size_t> points;
  for (std::size_t n : {10u, 100u, 1000u}) {
    std::vector<std::string> codelets{serialSum(), treeSum()};
    // Each with a number of parts of its own: sizes must not multiply goals.
    for (std::size_t c = 2; c < n; ++c)
      codelets.push_back(tiledSum(fmt::format("c{}", c), c % 2, fmt::format("{0} {0} 1 []", c)));
    Program program(module({spectrum("sum", codelets)}), cpuModern());
    auto start = std::chrono::steady_clock::now();
    Forest forest = program.forest(6);
    double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    RecordProperty(fmt::format("ms_{}", n), fmt::format("{:.1f}", ms));
    points[n] = forest.size();
  }
  EXPECT_LE(points[1000], points[10] * 2);
  EXPECT_LE(points[1000], 5u * 6 * 20); // calls, maps whose calls lie near and far, both plain
}

// ---- whole numbers that are passed on ----

TEST(Forest, ATunableFollowsAParameterWhoseValueIsKnown) {
  const std::string params = "(Param \"tile\" u32 in) (Param \"in\" array<1,i32> in)";
  const std::string follows = "(Declare \"own\" u32 false false [] (Tunable 1 0 1 [16 32 64] \"tile\") -)";
  auto calls = [](const std::string &tile) { return fmt::format("(Return {})", call("i32", "part", {tile, kIn})); };
  Program program(
      module(
          {spectrum("sum", {codelet("a", {tunable("t", "1 0 1 [16 32]"), calls(var("u32", "t"))}),
                            codelet("b", {calls(lit("u32", 5))})}),
           spectrum("part", {codelet("x", {follows, fmt::format("(Return {})", lit("i32", 0))}, false, "", "", params)},
                    "i32", params)}),
      cpuSimple());
  const Forest forest = program.forest(4);
  std::map<std::int64_t, std::set<std::int64_t>> values; // of the tunable, by the parameter's
  for (GoalId id = 0; id < forest.size(); ++id) {
    const Point &point = forest.point(id);
    if (point.spectrum != "part" || point.plain) continue;
    ASSERT_EQ(point.scalars.size(), 1u);
    for (const Alternative &alternative : point.alternatives)
      if (alternative.rule == Rule::Select) values[point.scalars.at("tile")].insert(alternative.parameters.at("own"));
  }
  EXPECT_EQ(values, (std::map<std::int64_t, std::set<std::int64_t>>{{5, {16, 32, 64}}, {16, {16}}, {32, {32}}}));
}

} // namespace
} // namespace tangram
