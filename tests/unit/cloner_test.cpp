// The cloner: composed ASTs of plans.
#include "SumProgram.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Verify.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/Cloner.h"
#include "tangram/compose/Count.h"

#include <set>

namespace tangram {
namespace {

using namespace test;
using namespace ast;

std::vector<std::string> violations(const Module &module) {
  std::vector<std::string> result;
  for (const Violation &v : verify(module)) result.push_back(v.message);
  return result;
}

const Module *clone(Program &program, const std::vector<Plan> &plans) {
  std::vector<ClonedKernel> kernels;
  for (const Plan &plan : plans) kernels.push_back({&plan, fmt::format("kernel_{}", kernels.size())});
  return tangram::clone(*program.module, program.hardware, program.facts, kernels, program.arena);
}

const SpectrumCall *bodyCall(const Kernel *kernel) {
  const Stmt *stmt = kernel->body->stmts.at(0);
  return as<SpectrumCall>(isa<Return>(stmt) ? as<Return>(stmt)->value : as<Evaluate>(stmt)->expr);
}

TEST(Cloner, Figure56) {
  Program program(sumProgram(), cpuSimple());
  Forest forest = program.forest(3);
  HeuristicContext context;
  Plan plan = program.choose(forest, "parallelism-first", context).at(0);
  const Module *composed = clone(program, {plan});
  EXPECT_TRUE(violations(*composed).empty());
  EXPECT_EQ(composed->spectrums, program.module->spectrums);
  ASSERT_EQ(composed->kernels.size(), 1u);
  const Kernel *kernel = composed->kernels[0];
  EXPECT_EQ(kernel->name, "kernel_0");
  EXPECT_EQ(kernel->plan, key(plan));
  EXPECT_EQ(kernel->params, program.module->spectrums[0]->params);

  const SpectrumCall *top = bodyCall(kernel);
  EXPECT_EQ(top->level, "process");
  EXPECT_TRUE(top->devolved.empty());
  EXPECT_EQ(top->capability, Capability::None);
  EXPECT_EQ(top->codelet->name, "c");
  const Declare *p = as<Declare>(top->codelet->body->stmts[0]);
  ASSERT_TRUE(p->tunable);
  EXPECT_EQ(as<IntLit>(p->init)->value, 4);
  EXPECT_EQ(p->init->type, p->type);

  const SpectrumCall *outer = as<SpectrumCall>(as<Return>(top->codelet->body->stmts.back())->value);
  EXPECT_EQ(outer->level, "process");
  EXPECT_EQ(outer->devolved, Texts{"thread"});
  EXPECT_EQ(outer->capability, Capability::Scalar);
  EXPECT_EQ(outer->codelet->name, "a");
  const Map *map = as<Map>(outer->args[0]);
  EXPECT_EQ(map->policy, Policy::Distribute);
  EXPECT_EQ(map->level, "process");
  ASSERT_TRUE(map->call);
  EXPECT_EQ(map->call->level, "thread");
  EXPECT_EQ(map->call->codelet->name, "a");
  EXPECT_NE(map->call->codelet, outer->codelet);
  // The original is untouched.
  EXPECT_FALSE(as<Declare>(program.codelet("c")->body->stmts[0])->init);
  EXPECT_TRUE(ast::equal(composed, ast::parse(ast::print(composed), program.arena)));
}

TEST(Cloner, GuardsHaveAFallbackWithTheSameArguments) {
  Program program(sumProgram(true, true, false, false), blockAndThreads());
  const Module *composed = clone(program, {program.forest(3).nth(0)});
  EXPECT_TRUE(violations(*composed).empty());
  const SpectrumCall *top = bodyCall(composed->kernels[0]);
  EXPECT_EQ(top->codelet->name, "b");
  EXPECT_EQ(top->capability, Capability::Vector);
  ASSERT_EQ(top->guard.size(), 1u);
  ASSERT_TRUE(top->fallback);
  EXPECT_EQ(top->fallback->args, top->args);
  EXPECT_EQ(top->fallback->level, "block");
  EXPECT_EQ(top->fallback->devolved, Texts{"thread"});
  EXPECT_EQ(top->fallback->codelet->name, "a");
  EXPECT_TRUE(top->fallback->guard.empty());
}

TEST(Cloner, SplitUnrollAndManyPlans) {
  Program program(sumProgram(true, false, true, false), cpuModern());
  Forest forest = program.forest(4);
  std::mt19937_64 random(5);
  std::vector<Plan> plans;
  for (int i = 0; i < 60; ++i) plans.push_back(forest.sample(random));
  const Module *composed = clone(program, plans);
  EXPECT_TRUE(violations(*composed).empty());
  ASSERT_EQ(composed->kernels.size(), plans.size());
  int splits = 0, unrolled = 0;
  for (const Kernel *kernel : composed->kernels) {
    walk(
        kernel,
        [&](const Map &map) {
          EXPECT_NE(map.policy, Policy::None);
          EXPECT_EQ(map.policy == Policy::Split, map.inner != nullptr);
          EXPECT_EQ(map.policy == Policy::Split, map.factor != nullptr);
          EXPECT_EQ(map.policy == Policy::Split, map.call == nullptr);
          if (map.policy == Policy::Split) {
            ++splits;
            const hardware::Level *level = program.hardware.find(map.level);
            EXPECT_EQ(map.inner->level, level->subordinate);
          }
          if (map.policy == Policy::Unroll) {
            ++unrolled;
            EXPECT_EQ(map.level, "lane");
          }
        },
        [&](const SpectrumCall &call) {
          EXPECT_TRUE(call.codelet);
          EXPECT_FALSE(call.level.empty());
        });
  }
  EXPECT_GT(splits, 0);
  EXPECT_GT(unrolled, 0);
}

TEST(Cloner, EveryPlanOfASpaceIsComposedAsItSays) {
  Program program(sumProgram(), blockAndThreads());
  Forest forest = program.forest(3);
  std::set<std::string> seen;
  forest.enumerate([&](const Plan &plan) {
    const Module *composed = clone(program, {plan});
    EXPECT_TRUE(violations(*composed).empty()) << print(plan);
    EXPECT_TRUE(seen.insert(ast::print(composed->kernels[0]->body)).second)
        << "two plans, one program: " << print(plan);
    return true;
  });
  EXPECT_EQ(Count(seen.size()), forest.count());
}

TEST(Cloner, SeveralSpectrumsInstancesAndVoidResults) {
  // Two instances of one template, called one inside the other, and a spectrum without result.
  auto scale = codelet("each", {fmt::format("(Evaluate {})", call("void", "touch<float>", {kIn}))}, false, "", "",
                       "(Param \"in\" array<1,i32> inout)");
  auto touch = codelet("a", {"(Return -)"}, false, "", "", "(Param \"in\" array<1,i32> inout)");
  std::string params = "(Param \"in\" array<1,i32> inout)";
  Program program(
      module({spectrum("scale<float>", {scale}, "void", params), spectrum("touch<float>", {touch}, "void", params)}),
      cpuSimple());
  Forest forest = program.forest(4, "scale<float>");
  std::vector<Plan> plans;
  forest.enumerate([&](const Plan &plan) {
    plans.push_back(plan);
    return true;
  });
  ASSERT_EQ(plans.size(), 2u); // devolved before or behind the call
  const Module *composed = clone(program, plans);
  EXPECT_TRUE(violations(*composed).empty());
  for (const Kernel *kernel : composed->kernels) {
    EXPECT_TRUE(isa<Evaluate>(kernel->body->stmts[0]));
    EXPECT_EQ(kernel->spectrum, "scale<float>");
    EXPECT_EQ(bodyCall(kernel)->codelet->name, "each");
    EXPECT_EQ(as<SpectrumCall>(as<Evaluate>(bodyCall(kernel)->codelet->body->stmts[0])->expr)->codelet->name, "a");
  }
  EXPECT_EQ(plans[0].sources.size(), 2u);
  EXPECT_EQ(parsePlan(print(plans[0]), "plan", program.arena), plans[0]);
}

TEST(Cloner, APlanThatDoesNotFitIsOurBug) {
  Program program(sumProgram(), cpuSimple());
  Plan plan =
      parsePlan("plan sum for cpu-simple\nselect c at process with p=4\n  devolve to thread\n    select a at thread\n",
                "plan", program.arena);
  EXPECT_EQ(thrown([&] { clone(program, {plan}); }).cls, DiagnosticClass::Bug);
}

/// The tunable of the outermost codelet in the composed AST of a plan.
const Tunable &tunable(Program &program, const std::string &text) {
  static std::vector<std::unique_ptr<Plan>> plans;
  plans.push_back(std::make_unique<Plan>(parsePlan(text, "plan", program.arena)));
  checkPlan(*plans.back(), *program.module, program.hardware, program.facts, program.diags);
  const Module *composed = clone(program, {*plans.back()});
  return *as<Declare>(bodyCall(composed->kernels[0])->codelet->body->stmts[0])->tunable;
}

TEST(Cloner, TunablesKeepToValuesForWhichCodeletsFitWithoutACheck) {
  // As many partial sums as parts, and a tree of 256 lanes.
  std::string head = "plan sum for block\nselect c at block with p=",
              map = "\n  distribute to thread\n    select a at thread\n";
  Program program(sumProgram(), blockAndThreads());
  const Tunable &trusted = tunable(program, head + "64" + map + "  select b at block as vector\n");
  EXPECT_EQ(trusted.lo, 1);
  EXPECT_EQ(trusted.hi, 256);
  EXPECT_TRUE(trusted.values.empty());
  const Tunable &checked = tunable(program, head + "64" + map +
                                                "  select b at block as vector if in.size() <= coopDim()\n"
                                                "    else devolve to thread\n      select a at thread\n");
  EXPECT_EQ(checked.hi, 0);
  const Tunable &serial = tunable(program, head + "64" + map + "  devolve to thread\n    select a at thread\n");
  EXPECT_EQ(serial.hi, 0);
}

TEST(Cloner, TunablesThatAreProvedOnlyAsTheyAreKeepTheirValue) {
  // 260 - p parts: few enough from p = 4 on, until it wraps.
  std::string codelet = tiledSum("c", false), count = "[" + var("u32", "p") + "]";
  codelet.replace(codelet.find(count), count.size(), "[" + bin("u32", "sub", lit("u32", 260), var("u32", "p")) + "]");
  Program program(module({spectrum("sum", {serialSum(), treeSum(), codelet})}), blockAndThreads());
  const Tunable &kept = tunable(program, "plan sum for block\nselect c at block with p=16\n  distribute to thread\n"
                                         "    select a at thread\n  select b at block as vector\n");
  EXPECT_EQ(kept.values, Ints{16});
}

// Whoever compiles the code may set any of them.
TEST(Cloner, ATunableMayHaveEachValueOfItsRange) {
  std::string head = "plan sum for block\nselect c at block with p=",
              tail = "\n  distribute to thread\n    select a at thread\n  select b at block as vector\n";
  Program program(sumProgram(), blockAndThreads());
  const Tunable &range = tunable(program, head + "200" + tail); // the tree has 256 lanes
  EXPECT_EQ(range.hi, 256);
  for (std::int64_t p = std::max<std::int64_t>(range.lo, 1); p <= range.hi; ++p) {
    Plan other = parsePlan(head + std::to_string(p) + tail, "t.plan", program.arena);
    checkPlan(other, *program.module, program.hardware, program.facts, program.diags);
    EXPECT_NO_THROW(clone(program, {other})) << p;
  }
}

} // namespace
} // namespace tangram
