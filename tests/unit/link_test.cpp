// Several modules made one program.
#include "SumProgram.h"
#include "tangram/ast/Link.h"
#include "tangram/ast/Verify.h"
#include "tangram/diag/Diagnostic.h"

using namespace tangram;
using namespace tangram::test;

namespace {

/// A function that returns `amount`.
std::string returning(const std::string &function, int amount) {
  return fmt::format("(Function \"{}\" i32 [] (Block [(Return (IntLit i32 {}))]))", function, amount);
}
std::string calling(const std::string &function) { return fmt::format("(Return (Call i32 \"{}\" []))", function); }
std::string program(const std::string &functions, const std::string &spectrums, const std::string &structs = "") {
  return fmt::format("(Module [{}] [{}] [{}] [])", structs, functions, spectrums);
}

struct LinkTest : testing::Test {
  ast::Arena arena;

  const ast::Module *linked(const std::vector<std::string> &texts) {
    std::vector<const ast::Module *> modules;
    for (const std::string &text : texts) modules.push_back(ast::as<ast::Module>(ast::parse(text, arena)));
    const ast::Module *module = ast::link(arena, modules);
    EXPECT_TRUE(ast::verify(*module).empty());
    return module;
  }
  std::string failure(const std::vector<std::string> &texts) {
    try {
      linked(texts);
    } catch (const DiagnosticError &e) {
      return e.diagnostic.id;
    }
    return "nothing failed";
  }
  static std::vector<std::string> names(const std::vector<const ast::Codelet *> &codelets) {
    std::vector<std::string> result;
    for (const ast::Codelet *codelet : codelets) result.push_back(codelet->name);
    return result;
  }
};

using Texts = std::vector<std::string>;

TEST_F(LinkTest, CodeletsOfOneSpectrumFollowEachOther) {
  const ast::Module *m = linked({program("", spectrum("sum", {serialSum("a")}) + spectrum("one", {serialSum("a")})),
                                 program("", spectrum("sum", {treeSum("b")}))});
  ASSERT_EQ(m->spectrums.size(), 2U);
  EXPECT_EQ(names(m->spectrums[0]->codelets), (Texts{"a", "b"}));
}

TEST_F(LinkTest, ADeclarationGetsItsCodelets) {
  const std::string caller = codelet("a", {"(Return " + call("i32", "other", {kIn}) + ")"});
  const ast::Module *m = linked({program("", spectrum("sum", {caller}) + spectrum("other", {})),
                                 program("", spectrum("other", {serialSum("a")}))});
  EXPECT_EQ(names(m->spectrums[1]->codelets), Texts{"a"});
}

TEST_F(LinkTest, WhatIsEqualIsThereOnce) {
  const std::string text = program(returning("f", 1), spectrum("sum", {codelet("a", {calling("f")})}));
  const ast::Module *m = linked({text, text});
  EXPECT_EQ(m->functions.size(), 1U);
  EXPECT_EQ(names(m->spectrums[0]->codelets), Texts{"a"});
}

TEST_F(LinkTest, WhatDiffersUnderOneNameIsRenamedWithItsCalls) {
  const auto text = [](int amount) {
    return program(returning("f", amount) + " (Function \"g\" i32 [] (Block [" + calling("f") + "]))",
                   spectrum("sum", {codelet("a", {calling("g")})}));
  };
  const ast::Module *m = linked({text(1), text(2)});
  ASSERT_EQ(m->functions.size(), 4U);
  // Of the second module `g` is another one, since what it calls is.
  EXPECT_EQ(m->functions[2]->name, "f_1");
  EXPECT_EQ(m->functions[3]->name, "g_1");
  const ast::Spectrum &sum = *m->spectrums[0];
  ASSERT_EQ(sum.codelets.size(), 2U);
  EXPECT_NE(sum.codelets[0]->name, sum.codelets[1]->name);
  EXPECT_NE(ast::print(sum.codelets[1]).find("\"g_1\""), std::string::npos);
  EXPECT_EQ(ast::print(sum.codelets[0]).find("\"g_1\""), std::string::npos);
}

TEST_F(LinkTest, ConditionsOfAllHoldAndAreInTheFirstNames) {
  const auto condition = [](const std::string &name) {
    return bin("bool", "gt", size(var("array<1,i32>", name)), lit("u64", 0));
  };
  const std::string params = "(Param \"other\" array<1,i32> in)";
  const ast::Module *m =
      linked({program("", spectrum("sum", {serialSum("a")}, "i32", "(Param \"in\" array<1,i32> in)")),
              program("", spectrum("sum", {serialSum("b")}, "i32", params, condition("other"))),
              program("", spectrum("sum", {serialSum("c")}, "i32", params, condition("other")))});
  ASSERT_EQ(m->spectrums[0]->conditions.size(), 1U);
  EXPECT_NE(ast::print(m->spectrums[0]->conditions[0]).find("\"in\""), std::string::npos);
}

TEST_F(LinkTest, DisagreementsAreErrors) {
  const std::string sum = program("", spectrum("sum", {serialSum("a")}));
  EXPECT_EQ(failure({sum, program("", spectrum("sum", {serialSum("b")}, "i64"))}), "link.signature");
  EXPECT_EQ(failure({sum, program("", spectrum("sum", {serialSum("b")}, "i32", "(Param \"in\" array<1,i32> inout)"))}),
            "link.signature");
  EXPECT_EQ(failure({program("", spectrum("sum", {})), program("", spectrum("other", {serialSum("a")}))}),
            "link.no-codelets");
  const auto structure = [](const std::string &field) {
    return fmt::format("(Struct \"s\" [(Param \"{}\" i32 in)])", field);
  };
  const std::string body = spectrum("sum", {serialSum("a")});
  EXPECT_EQ(failure({program("", body, structure("x")), program("", body, structure("y"))}), "link.struct");
  EXPECT_EQ(linked({program("", body, structure("x")), program("", body, structure("x"))})->structs.size(), 1U);
}

} // namespace
