// Plans that are made of several, each for some sizes: as text, checked, and composed.
#include "SumProgram.h"
#include "tangram/ast/Text.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/Cloner.h"
#include "tangram/compose/Count.h"

namespace tangram {
namespace {

using namespace test;

class PlanCases : public testing::Test {
protected:
  Program program_{sumProgram(), cpuModern()};
  Forest forest_ = program_.forest(4);
  ast::Arena arena_;

  Plan read(const std::string &text) { return parsePlan(text, "test.plan", arena_); }
  std::string message(const std::string &text) {
    try {
      const Plan plan = read(text);
      DiagnosticEngine diags;
      checkPlan(plan, *program_.module, program_.hardware, program_.facts, diags);
    } catch (const DiagnosticError &e) {
      return fmt::format("{}: {}", e.diagnostic.range.line, e.diagnostic.message);
    }
    return "";
  }
  /// Two plans of the forest, one of them up to 4096 elements.
  Plan two() {
    Plan plan = forest_.nth(forest_.count().number() - 1);
    const Plan small = forest_.nth(0);
    EXPECT_FALSE(plan == small);
    plan.cases.push_back({parseSizeCondition("in.size() <= 4096", {}), small.root, {}});
    return plan;
  }
};

TEST_F(PlanCases, PrintAndParseBack) {
  const Plan plan = two();
  const std::string text = print(plan);
  EXPECT_NE(text.find("\nwhen in.size() <= 4096\n  "), std::string::npos) << text;
  EXPECT_NE(text.find("\notherwise\n  "), std::string::npos) << text;
  const Plan again = read(text);
  EXPECT_TRUE(plan == again);
  EXPECT_EQ(print(again), text);
  EXPECT_NE(key(plan).find("if in.size() <= 4096: "), std::string::npos) << key(plan);
  EXPECT_EQ(message(text), "");
}

TEST_F(PlanCases, WhereItWasTuned) {
  Plan plan = two();
  plan.device = "Some \"fast\" CPU (8 cores)";
  plan.compiler = "g++ 12.2 -O3";
  const Plan again = read(print(plan));
  EXPECT_EQ(again.device, plan.device);
  EXPECT_EQ(again.compiler, plan.compiler);
  EXPECT_TRUE(again == plan);
  EXPECT_EQ(key(again), key(two()));
}

TEST_F(PlanCases, TheFirstConditionThatHoldsSays) {
  const Plan plan = two();
  auto at = [&](double n) { return planFor(plan, [&](const SizeTerm &) { return n; }); };
  EXPECT_EQ(at(4096).root, plan.cases[0].root);
  EXPECT_EQ(at(4097).root, plan.root);
  EXPECT_TRUE(at(4097).cases.empty());
  EXPECT_EQ(plansOf(plan).size(), 2u);
}

TEST_F(PlanCases, OneKernelAsksOnceAtTheCall) {
  const Plan plan = two();
  const ast::Module *composed = clone(*program_.module, program_.hardware, program_.facts, {{&plan, "sum"}}, arena_);
  ASSERT_EQ(composed->kernels.size(), 1u);
  const ast::Block *body = composed->kernels[0]->body;
  ASSERT_EQ(body->stmts.size(), 1u);
  const auto *either = ast::dyn<ast::If>(body->stmts[0]);
  ASSERT_NE(either, nullptr);
  EXPECT_NE(either->otherwise, nullptr);
  EXPECT_TRUE(ast::contains<ast::Size>(either->cond));
}

TEST_F(PlanCases, Errors) {
  const std::string head = "plan sum for cpu-modern\n";
  const std::string rules = "  select a at process\n";
  EXPECT_NE(message(head + "when\n" + rules + "otherwise\n" + rules)
                .find("2: the condition reads 'the end of the line' "
                      "where the name of a parameter is expected"),
            std::string::npos);
  EXPECT_NE(
      message(head + "when in.size() = 3\n" + rules + "otherwise\n" + rules).find("where <=, >=, < or > is expected"),
      std::string::npos);
  EXPECT_NE(message(head + "when in.size() <= many\n" + rules).find("where a number is expected"), std::string::npos);
  EXPECT_NE(message(head + "when in.size() <= 3 or 4\n" + rules).find("'and' or the end of the line"),
            std::string::npos);
  EXPECT_NE(message(head + "when in.size() <= 3\n" + rules).find("the plan says nothing of other sizes"),
            std::string::npos);
  EXPECT_NE(message(head + "otherwise\n" + rules).find("there is no 'when' in front of 'otherwise'"),
            std::string::npos);
  EXPECT_NE(message(head + "when in.size() <= 3\notherwise\n" + rules).find("the plan has no rules for these sizes"),
            std::string::npos);
  EXPECT_NE(message(head + "when in.size() <= 3\nselect a at process\n").find("indented by 0 spaces, not by 2"),
            std::string::npos);
  const std::string plain = print(two()).substr(0, print(two()).find("when"));
  const std::string rest = print(two()).substr(print(two()).find('\n', print(two()).find("when")));
  EXPECT_NE(message(plain + "when out.size() <= 3" + rest).find("speaks of 'out', which is no parameter of 'sum'"),
            std::string::npos);
  EXPECT_NE(message(plain + "when in.size(1) <= 3" + rest).find("'in' has 1 dimension, counted from 0"),
            std::string::npos);
  EXPECT_NE(message(plain + "when in <= 3" + rest).find("the value of 'in', but that is a container"),
            std::string::npos);
}

TEST(SizeConditions, ReadPrintAndHold) {
  auto both = [](const std::string &text) { return print(parseSizeCondition(text, {})); };
  EXPECT_EQ(both("a.size(0)<=512 and  n > 3"), "a.size(0) <= 512 and n > 3");
  EXPECT_EQ(both("column.size() / row.size() >= 8.5"), "column.size() / row.size() >= 8.5");
  EXPECT_EQ(both("a.size( 1 ) * b.size() < 1e6"), "a.size(1) * b.size() < 1000000");
  const SizeCondition ratio = parseSizeCondition("e.size() / r.size() <= 8.5", {});
  auto holdsFor = [&](double e, double r) {
    return holds(ratio, [&](const SizeTerm &term) { return term.parameter == "e" ? e : r; });
  };
  EXPECT_TRUE(holdsFor(17, 2));
  EXPECT_FALSE(holdsFor(18, 2));
  EXPECT_TRUE(holdsFor(0, 0));
  EXPECT_FALSE(holdsFor(1, 0));
}

} // namespace
} // namespace tangram
