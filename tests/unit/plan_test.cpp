// Plans as text: they print, parse back, and are checked against the source that they are used with.
#include "SumProgram.h"
#include "tangram/compose/Count.h"

#include <random>

namespace tangram {
namespace {

using namespace test;

constexpr std::string_view kPlan = R"(plan sum for cpu-simple
source sum 5d1c9a7e00112233
select c at process with p=4
  distribute to thread
    select a at thread
  devolve to thread
    select a at thread
)";

TEST(Plan, PrintsAsInTheHeader) {
  Program program(sumProgram(), cpuSimple());
  Plan plan = parsePlan(kPlan, "plan", program.arena);
  EXPECT_EQ(print(plan), kPlan);
  EXPECT_EQ(plan.root->children[0]->children[0]->capability, ast::Capability::Scalar);
  EXPECT_EQ(plan.root->children[0]->range.line, 4u);
  Forest forest = program.forest(3);
  bool found = false;
  forest.enumerate([&](Plan other) {
    other.sources = plan.sources;
    found |= other == plan;
    return true;
  });
  EXPECT_TRUE(found);
  EXPECT_EQ(key(plan), "sum on cpu-simple: c@process(p=4)[distribute>thread[a@thread] devolve>thread[a@thread]]");
}

TEST(Plan, GuardedSelectsKeepTheirCondition) {
  Program program(sumProgram(true, true, false, false), blockAndThreads());
  Plan plan = program.forest(3).nth(0);
  plan.sources.clear();
  EXPECT_EQ(print(plan), "plan sum for block\n"
                         "select b at block as vector if in.size() <= coopDim()\n"
                         "  else devolve to thread\n"
                         "    select a at thread\n");
  EXPECT_EQ(parsePlan(print(plan), "plan", program.arena), plan);
}

TEST(Plan, OtherSpectrumsAndOddNamesParseBack) {
  ast::Arena arena;
  auto leaf = std::make_shared<PlanNode>();
  leaf->spectrum = "sum<unsigned int>";
  leaf->level = "thread";
  leaf->codelet = "my \"odd\" tag";
  leaf->capability = ast::Capability::Matrix;
  auto devolve = std::make_shared<PlanNode>();
  devolve->rule = Rule::Devolve;
  devolve->spectrum = "sum<unsigned int>";
  devolve->level = "process";
  devolve->to = "thread";
  devolve->children = {leaf};
  auto root = std::make_shared<PlanNode>();
  root->spectrum = "dot<float>";
  root->level = "process";
  root->codelet = "x";
  root->parameters = {{"p", 4}, {"q", -7}};
  root->children = {devolve};
  Plan plan{"dot<float>", "a target", {{"dot<float>", 1}, {"sum<unsigned int>", 0xfffffffffffffffful}}, {}, {},
            {},           root};
  EXPECT_EQ(print(plan), "plan dot<float> for \"a target\"\n"
                         "source dot<float> 0000000000000001\n"
                         "source \"sum<unsigned int>\" ffffffffffffffff\n"
                         "select x at process with p=4, q=-7\n"
                         "  devolve of \"sum<unsigned int>\" to thread\n"
                         "    select \"my \\\"odd\\\" tag\" at thread as matrix\n");
  EXPECT_EQ(parsePlan(print(plan), "plan", arena), plan);
  // A plan may start with devolve, split and serialize have one child.
  std::string text = "# by hand\n\nplan s for t\r\ndevolve from a to b\n  select c at b\n    split to l with factor=8\n"
                     "      serialize\n        select x at l\n";
  Plan parsed = parsePlan(text, "plan", arena);
  EXPECT_EQ(parsed.root->level, "a");
  EXPECT_EQ(parsed.root->children[0]->children[0]->parameters.at("factor"), 8);
  EXPECT_EQ(parsePlan(print(parsed), "plan", arena), parsed);
}

TEST(Plan, ChunksAreMultiplesOfTheGrain) {
  const Chunks even({{"factor", 8}}), whole({{"factor", 8}, {"grain", 32}});
  EXPECT_EQ(even.calls(100), 13U);
  EXPECT_EQ(even.busy(100), 8U);
  EXPECT_EQ(even.busy(3), 3U);
  EXPECT_EQ(whole.calls(100), 32U);
  EXPECT_EQ(whole.busy(100), 4U);
  EXPECT_EQ(whole.calls(1000), 128U); // 125 of each
  EXPECT_EQ(whole.busy(1000), 8U);
  EXPECT_EQ(whole.busy(0), 0U);
  EXPECT_EQ(Chunks({}).calls(100), 100U);
}

TEST(Plan, BadTextIsALocatedError) {
  struct Case {
    std::string text, message;
    unsigned line, column;
  };
  std::string head = "plan s for t\n";
  for (const Case &c : {
           Case{"", "the plan has no 'plan SPECTRUM for TARGET' line", 1, 1},
           Case{head, "the plan has no rules", 1, 1},
           Case{"plan s\n", "the plan reads 'the end of the line' where 'for' is expected", 1, 7},
           Case{head + "source s xyz\n", "the plan reads 'xyz' where a hash of hexadecimal digits is expected", 2, 10},
           Case{head + "source s 1\nsource s 1\n", "the source of 's' stands here a second time", 3, 8},
           Case{head + "chose a at b\n",
                "the plan reads 'chose' where select, devolve, distribute, serialize or split is expected", 2, 1},
           Case{head + "select a in b\n", "the plan reads 'in' where 'at' is expected", 2, 10},
           Case{head + "select a at b with p\n", "the plan reads 'p' where NAME=NUMBER is expected", 2, 20},
           Case{head + "select a at b with p=1,\n",
                "the plan reads 'the end of the line' where NAME=NUMBER is expected", 2, 24},
           Case{head + "select a at b with p=1, p=2\n", "'p' stands here a second time", 2, 25},
           Case{head + "select a at b sometimes\n", "the plan reads 'sometimes' where the end of the line is expected",
                2, 15},
           Case{head + "select a at b\n   select c at b\n", "this line is indented by 3 spaces, not by 2", 3, 4},
           Case{head + "select a at b\nselect a at b\n", "this line is indented by 0 spaces, not by 2", 3, 1},
           Case{head + "devolve from a to b\n  select c at x\n",
                "the plan reads 'x' where level 'b', where the rule above puts it, is expected", 3, 15},
           Case{head + "devolve from a to b\n", "'devolve' is followed by 0 rules, not by one", 2, 1},
           Case{head + "select a at b if x\n", "'select' with 'if' has no fallback", 2, 1},
           Case{head + "select a at b\n  else select c at b\n", "'else' cannot stand here", 3, 8},
           Case{head + "select \"a at b\n", "the plan reads '\"a' where the name of a codelet is expected", 2, 8},
       }) {
    ast::Arena arena;
    Diagnostic d = thrown([&] { parsePlan(c.text, "my.plan", arena); });
    EXPECT_EQ(d.message, c.message) << c.text;
    EXPECT_EQ(d.cls, DiagnosticClass::User);
    ASSERT_TRUE(d.range.valid());
    EXPECT_EQ(*d.range.file, "my.plan");
    EXPECT_EQ(d.range.line, c.line) << c.text;
    EXPECT_EQ(d.range.column, c.column) << c.text;
  }
}

TEST(Plan, DamagedTextNeverCrashes) {
  Program program(sumProgram(), gpuSimple());
  std::string good = print(program.forest(4).nth(7));
  std::mt19937 random(3);
  for (int i = 0; i < 5000; ++i) {
    std::string text = good;
    for (unsigned edits = 1 + random() % 4; edits; --edits) {
      std::size_t at = random() % (text.size() + 1);
      switch (random() % 3) {
      case 0: text.insert(at, 1, static_cast<char>(random())); break;
      case 1: text.erase(at, random() % 12); break;
      case 2: text.insert(at, good.substr(random() % good.size(), random() % 40)); break;
      }
    }
    try {
      Plan plan = parsePlan(text, "plan", program.arena);
      DiagnosticEngine diags;
      checkPlan(plan, *program.module, program.hardware, program.facts, diags);
    } catch (const DiagnosticError &e) {
      EXPECT_NE(e.diagnostic.cls, DiagnosticClass::Bug) << text << e.diagnostic.message;
    }
  }
  std::string deep = "plan s for t\n";
  for (int i = 0; i < 3000; ++i) deep += std::string(2 * i, ' ') + (i ? "devolve to t\n" : "devolve from t to t\n");
  EXPECT_EQ(thrown([&] { parsePlan(deep, "plan", program.arena); }).cls, DiagnosticClass::Limitation);
}

// ---- a plan and the source it meets ----

Diagnostic misfit(const std::string &plan, const std::string &source, hardware::Hardware machine) {
  Program program(source, std::move(machine));
  Plan parsed = parsePlan(plan, "my.plan", program.arena);
  return thrown([&] {
    DiagnosticEngine diags;
    checkPlan(parsed, *program.module, program.hardware, program.facts, diags);
  });
}

TEST(CheckPlan, SaysWhatHasChanged) {
  std::string plan(kPlan);
  Diagnostic d = misfit(plan, module({spectrum("total", {serialSum()})}), cpuSimple());
  EXPECT_EQ(d.message, "the plan composes spectrum 'sum', which the source does not have");
  EXPECT_EQ(d.advice, "use a plan for 'total', the only one known");
  EXPECT_EQ(d.range.line, 3u);

  d = misfit(plan, sumProgram(true, false, false, true), cpuSimple());
  EXPECT_EQ(d.message, "the plan selects codelet 'c' of 'sum', which the source does not have");
  EXPECT_EQ(d.advice, "'sum' has a, d");

  d = misfit(plan, module({spectrum("sum", {serialSum("a"), serialSum("c")})}), cpuSimple());
  EXPECT_EQ(d.message, "the plan was made for 2 maps and spectrum calls in codelet 'c' of 'sum', but there are 0");

  auto twoCalls = codelet(
      "c", {fmt::format("(Return {})", bin("i32", "add", call("i32", "sum", {kIn}), call("i32", "sum", {kIn})))});
  d = misfit(plan, module({spectrum("sum", {serialSum(), twoCalls})}), cpuSimple());
  EXPECT_EQ(d.message, "the plan and codelet 'c' of 'sum' disagree: there is no __tunable 'p' any more");
  std::string untuned = plan;
  untuned.erase(untuned.find(" with p=4"), 9);
  d = misfit(untuned, module({spectrum("sum", {serialSum(), twoCalls})}), cpuSimple());
  EXPECT_EQ(d.message, "the plan has a map of 'sum' where codelet 'c' of 'sum' has a call of 'sum'");
  EXPECT_EQ(d.range.line, 4u);
  d = misfit(untuned, sumProgram(), cpuSimple());
  EXPECT_EQ(d.message, "the plan and codelet 'c' of 'sum' disagree: the plan has no value for __tunable 'p'");
  d = misfit(plan, module({spectrum("sum", {serialSum(), tiledSum("c", false, "8 16 8 []")})}), cpuSimple());
  EXPECT_EQ(d.message, "the plan and codelet 'c' of 'sum' disagree: 4 is no value that __tunable 'p' may have");

  d = misfit(plan, sumProgram(), gpuSimple());
  EXPECT_EQ(d.message, "the plan uses level 'process', which target 'gpu-simple' does not have");
  EXPECT_EQ(d.advice, "its levels are grid, block, thread");
  d = misfit("plan sum for cpu-simple\nselect a at thread\n", sumProgram(), cpuSimple());
  EXPECT_EQ(d.message, "the plan starts at level 'thread', but 'process' is the outermost of target 'cpu-simple'");
  d = misfit("plan sum for cpu-simple\nselect a at process\n", sumProgram(), cpuSimple());
  EXPECT_EQ(d.message,
            "the plan runs codelet 'a' of 'sum' at level 'process', where it cannot run: level 'process' has no "
            "scalar capability");
  d = misfit("plan sum for gpu-simple\ndevolve from grid to thread\n  select a at thread\n", sumProgram(), gpuSimple());
  EXPECT_EQ(d.message, "the plan goes from level 'grid' to 'thread', but in target 'gpu-simple' 'block' is below it");
  d = misfit(
      "plan sum for cpu-simple\nselect c at process with p=4\n  serialize\n    select a at process\n  devolve to "
      "thread\n    select a at thread\n",
      sumProgram(), cpuSimple());
  EXPECT_EQ(d.message,
            "the plan runs a map of 'sum' as a loop at level 'process', which has no computational capability");
}

TEST(CheckPlan, AGuardThatHasBecomeNecessary) {
  // Made when two hundred partial sums were known to fit a block.
  std::string plan =
      "plan sum for block\nselect c at block with p=200\n  distribute to thread\n    select a at thread\n"
      "  select b at block as vector\n";
  Program program(sumProgram(), blockAndThreads());
  DiagnosticEngine diags;
  checkPlan(parsePlan(plan, "plan", program.arena), *program.module, program.hardware, program.facts, diags);
  EXPECT_TRUE(diags.all().empty());
  std::string more = plan;
  more.replace(more.find("200"), 3, "300");
  Diagnostic d = misfit(more, sumProgram(), blockAndThreads());
  EXPECT_EQ(d.message,
            "the plan runs codelet 'b' of 'sum' at level 'block' without a check, but that it fits can no longer "
            "be proved: it needs in.size() <= coopDim() (coopDim() = 256)");
  hardware::Hardware narrow = blockAndThreads();
  narrow.levels[1].workers.count = 64;
  EXPECT_EQ(misfit(plan, sumProgram(), narrow).range.line, 5u);
}

TEST(CheckPlan, AChangedHashOrTargetIsAWarning) {
  Program program(sumProgram(), cpuSimple());
  DiagnosticEngine diags;
  std::string plan(kPlan);
  plan.replace(plan.find("cpu-simple"), 10, "cpu-other");
  checkPlan(parsePlan(plan, "plan", program.arena), *program.module, program.hardware, program.facts, diags);
  ASSERT_EQ(diags.all().size(), 2u);
  EXPECT_FALSE(diags.hasErrors());
  EXPECT_EQ(diags.all()[0].message, "the plan was made for target 'cpu-other', and this is 'cpu-simple'");
  EXPECT_EQ(diags.all()[1].message, "the source of 'sum' has changed since the plan was made");
}

TEST(SourceHash, FollowsCodeletsAndTheFunctionsTheyCall) {
  auto text = [](long number) {
    std::string f =
        fmt::format("(Function \"f\" i32 [(Param \"x\" i32 in)] (Block [(Return {})]))", lit("i32", number));
    std::string body = fmt::format("(Return (Call i32 \"f\" [{}]))", lit("i32", 0));
    return fmt::format("(Module [] [{}] [{}] [])", f, spectrum("sum", {codelet("a", {body})}));
  };
  Program one(text(1), cpuSimple()), again(text(1), cpuSimple()), two(text(2), cpuSimple());
  EXPECT_EQ(sourceHash(*one.module, "sum"), sourceHash(*again.module, "sum"));
  EXPECT_NE(sourceHash(*one.module, "sum"), sourceHash(*two.module, "sum"));
}

// ---- sites ----

TEST(Sites, InnerBeforeOuterInTheOrderOfEvaluation) {
  auto one = [](const std::string &arg) { return call("i32", "one", {arg}); };
  std::string x = var("i32", "x");
  std::string loop =
      fmt::format("(For - (Binary bool lt {} {}) (Assign i32 add {} {}) (Block [(Evaluate {})]))",
                  call("i32", "cond", {}), lit("i32", 3), x, call("i32", "step", {}), call("i32", "body", {}));
  std::string text =
      module({spectrum("sum", {codelet("c", {declare("i32", "x", one(call("i32", "inner", {kIn}))), loop})})});
  ast::Arena arena;
  const ast::Module *m = ast::as<ast::Module>(ast::parse(text, arena));
  std::vector<std::string> names;
  for (const ast::Expr *e : sites(*m->spectrums[0]->codelets[0]))
    names.push_back(ast::as<ast::SpectrumCall>(e)->spectrum);
  EXPECT_EQ(names, (std::vector<std::string>{"inner", "one", "cond", "body", "step"}));
}

} // namespace
} // namespace tangram
