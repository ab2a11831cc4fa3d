// The AST: traversals, textual form, comparison, verifier.
#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Text.h"
#include "tangram/ast/Verify.h"
#include "tangram/ast/Visitor.h"
#include "tangram/ast/Walk.h"
#include "tangram/diag/Diagnostic.h"

#include <gtest/gtest.h>
#include <random>

namespace tangram::ast {
namespace {

constexpr std::string_view kProgram = R"(
(Module [] [
  (Function "twice" i32 [(Param "x" i32 in)]
    (Block [(Return (Binary i32 mul (VarRef i32 "x") (IntLit i32 2)))]))] [
  (Spectrum "sum" i32 [(Param "in" array<1,i32> in)] [] [
    (Codelet "a" "" "" false false [] [] [(Param "in" array<1,i32> in)] []
      (Block [
        (Declare "accum" i32 false false [] - (IntLit i32 0))
        (For (Declare "i" u32 false false [] - (IntLit u32 0))
          (Binary bool lt (Cast u64 (VarRef u32 "i")) (Size u64 (VarRef array<1,i32> "in") -))
          (Unary u32 preinc (VarRef u32 "i"))
          (Block [
            (Evaluate (Assign i32 add (VarRef i32 "accum")
              (Call i32 "twice" [(Subscript i32 (VarRef array<1,i32> "in") [(VarRef u32 "i")])])))]))
        (Return (VarRef i32 "accum"))]))])] [])
)";

const Module *program(Arena &arena) { return as<Module>(parse(kProgram, arena)); }

TEST(Type, TextParsesBack) {
  for (std::string text : {"void", "bool", "i8", "u64", "f32", "array<1,i32>", "array<2,array<1,f64>>",
                           "ptr<const f32>", "vec<f32,16>", "struct<edge>"}) {
    std::optional<Type> type = Type::parse(text);
    ASSERT_TRUE(type) << text;
    EXPECT_EQ(type->text(), text);
    EXPECT_EQ(*type, *Type::parse(text));
  }
  for (std::string text : {"", "i33", "array<0,i32>", "array<1,i32", "vec<array<1,i32>,4>", "i32x", "struct<>"})
    EXPECT_FALSE(Type::parse(text)) << text;
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "array<1,";
  EXPECT_FALSE(Type::parse(deep));
}

TEST(Text, PrintsAndParsesBackToAnEqualTree) {
  Arena arena;
  const Module *module = program(arena);
  std::string text = print(module);
  const Node *again = parse(text, arena);
  EXPECT_TRUE(equal(module, again));
  EXPECT_EQ(hash(module), hash(again));
  EXPECT_EQ(print(again), text);
}

TEST(Text, KeepsLocations) {
  Arena arena;
  SourceRange range{arena.internFile("a \"b\".cpp"), 3, 4, 5, 6};
  const Expr *x = arena.make<VarRef>(range, Scalar::I32, "x");
  const Node *again = parse(print(x, {.locations = true}), arena);
  EXPECT_EQ(*again->range.file, "a \"b\".cpp");
  EXPECT_EQ(again->range.line, 3u);
  EXPECT_EQ(again->range.endColumn, 6u);
}

TEST(Text, KeepsOddValues) {
  Arena arena;
  for (double value : {0.1, -0.0, 1e-320, 1.0 / 0.0}) {
    const Node *literal = arena.make<FloatLit>(SourceRange{}, Scalar::F64, value);
    EXPECT_TRUE(equal(literal, parse(print(literal), arena))) << value;
  }
  const Node *name = arena.make<VarRef>(SourceRange{}, Scalar::I32, std::string("a\n\"\\\x01 b"));
  EXPECT_TRUE(equal(name, parse(print(name), arena)));
}

TEST(Text, BadTextIsALocatedError) {
  Arena arena;
  struct Case {
    std::string text, expected;
    unsigned line;
  };
  for (const Case &c :
       {Case{"", "found the end", 1}, Case{"(Nonsense)", "'Nonsense' is not a kind", 1},
        Case{"(Break\n) x", "goes on after the tree", 2}, Case{"(Return\n (Break))", "cannot stand as", 2},
        Case{"(IntLit i99 1)", "'i99' is not a type", 1}, Case{"(If - - -)", "may not be absent", 1},
        Case{"(VarRef i32 \"abc", "does not end", 1}, Case{"(Unary i32 plus2 -)", "expected op", 1}}) {
    try {
      parse(c.text, arena);
      ADD_FAILURE() << "accepted: " << c.text;
    } catch (const DiagnosticError &e) {
      EXPECT_NE(e.diagnostic.message.find(c.expected), std::string::npos) << e.diagnostic.message;
      EXPECT_EQ(e.diagnostic.cls, DiagnosticClass::User);
      EXPECT_EQ(e.diagnostic.range.line, c.line) << c.text;
    }
  }
}

TEST(Text, DamagedTextNeverCrashes) {
  std::mt19937 random(42);
  for (int i = 0; i < 3000; ++i) {
    std::string text(kProgram);
    for (unsigned edits = 1 + random() % 4; edits; --edits) {
      std::size_t at = random() % text.size();
      switch (random() % 3) {
      case 0: text[at] = static_cast<char>(random()); break;
      case 1: text.erase(at, random() % 20); break;
      case 2: text.insert(at, text.substr(random() % text.size(), random() % 30)); break;
      }
    }
    Arena arena;
    try {
      const Node *node = parse(text, arena);
      if (const Module *module = dyn<Module>(node)) verify(*module);
    } catch (const DiagnosticError &) {
    }
  }
  std::string deep;
  for (int i = 0; i < 1000000; ++i) deep += "(Unary i32 minus ";
  Arena arena;
  EXPECT_THROW(parse(deep, arena), DiagnosticError);
}

TEST(Walk, SkipsAndStops) {
  Arena arena;
  const Module *module = program(arena);
  int refs = 0, subscripts = 0;
  walk(
      module, [&](const VarRef &) { ++refs; },
      [&](const Subscript &) {
        ++subscripts;
        return WalkResult::Skip;
      });
  EXPECT_EQ(subscripts, 1);
  EXPECT_EQ(refs, 6);
  EXPECT_TRUE(contains<Size>(module));
  EXPECT_FALSE(contains<Map>(module));
  EXPECT_FALSE(walk(module, [&](const For &) { return WalkResult::Stop; }));
}

TEST(Build, ComparisonsThatAlwaysHold) {
  Arena arena;
  Build b(arena);
  auto known = [&](BinaryOp op, const Expr *lhs, const Expr *rhs) { return literal(b.binary(op, lhs, rhs)); };
  const Expr *u = b.var("u", Scalar::U64), *i = b.var("i", Scalar::I32), *zero = b.u64(0);
  EXPECT_EQ(known(BinaryOp::Lt, u, zero), 0);
  EXPECT_EQ(known(BinaryOp::Ge, u, zero), 1);
  EXPECT_EQ(known(BinaryOp::Gt, zero, u), 0);
  EXPECT_EQ(known(BinaryOp::Le, zero, u), 1);
  EXPECT_EQ(known(BinaryOp::Le, u, u), 1);
  for (BinaryOp op : {BinaryOp::Gt, BinaryOp::Le, BinaryOp::Eq, BinaryOp::Ne}) EXPECT_FALSE(known(op, u, zero));
  EXPECT_FALSE(known(BinaryOp::Lt, zero, u));
  EXPECT_FALSE(known(BinaryOp::Lt, i, b.integer(Scalar::I32, 0)));
}

TEST(Effects, AJumpOutOfALoopIsThatLoopsOwn) {
  Arena arena;
  auto jumps = [&](const char *body) { return jumpsOut(as<Block>(parse(body, arena))); };
  EXPECT_FALSE(jumps("(Block [])"));
  EXPECT_TRUE(jumps("(Block [(Break)])"));
  EXPECT_TRUE(jumps("(Block [(If (IntLit bool 1) (Block [(Continue)]) -)])"));
  EXPECT_FALSE(jumps("(Block [(While (IntLit bool 1) (Block [(Break) (Continue)]))])"));
  EXPECT_FALSE(jumps("(Block [(Switch (IntLit i32 0) [(Case [] true (Block [(Break)]))])])"));
  EXPECT_TRUE(jumps("(Block [(Switch (IntLit i32 0) [(Case [] true (Block [(Continue)]))])])"));
}

TEST(Visitor, CallsPrefixInfixAndPostfixInOrder) {
  struct Trace final : Visitor {
    std::string text;
    void preBase(const Node &n) override { text += fmt::format("<{}", name(n.kind())); }
    void inBase(const Node &, const Node &) override { text += '.'; }
    void postBase(const Node &) override { text += '>'; }
    void preIntLit(const IntLit &n) override { text += fmt::format("<{}", n.value); }
  } trace;
  Arena arena;
  trace.traverse(parse("(Binary i32 add (IntLit i32 1) (VarRef i32 \"x\"))", arena));
  EXPECT_EQ(trace.text, "<Binary<1>.<VarRef>.>");
}

TEST(Mutator, ChangingNothingReturnsTheVerySameNode) {
  Arena arena;
  const Module *module = program(arena);
  struct Nothing : Mutator {
    using Mutator::Mutator;
  } nothing(arena);
  EXPECT_EQ(nothing.mutate(module), module);
}

TEST(Mutator, RebuildsOnlyThePathToAChange) {
  struct Zero final : Mutator {
    using Mutator::Mutator;
    const Node *mutateIntLit(const IntLit *n) override {
      return n->value == 2 ? arena().derive(n, [](IntLit &copy) { copy.value = 3; }) : n;
    }
  };
  Arena arena;
  const Module *module = program(arena);
  const Module *changed = Zero(arena)(module);
  ASSERT_NE(changed, module);
  EXPECT_EQ(changed->spectrums[0], module->spectrums[0]);
  EXPECT_NE(changed->functions[0], module->functions[0]);
  EXPECT_FALSE(equal(changed, module));
  EXPECT_TRUE(verify(*changed).empty());
}

TEST(Mutator, HoistsInFrontOfAndBehindAStatement) {
  struct Hoist final : Mutator {
    using Mutator::Mutator;
    const Node *mutateCall(const Call *n) override {
      emitBefore(
          arena().make<Declare>(n->range, "hoisted", n->type, true, false, std::vector<const Expr *>{}, nullptr, n));
      emitAfter(arena().make<Break>(n->range));
      return arena().make<VarRef>(n->range, n->type, "hoisted");
    }
    const Node *mutateReturn(const Return *) override { return nullptr; }
  };
  Arena arena;
  const Block *body = Hoist(arena)(program(arena)->spectrums[0]->codelets[0]->body);
  ASSERT_EQ(body->stmts.size(), 2u); // the return is gone
  const Block *inner = as<For>(body->stmts[1])->body;
  ASSERT_EQ(inner->stmts.size(), 3u);
  EXPECT_TRUE(isa<Declare>(inner->stmts[0]));
  EXPECT_TRUE(isa<Evaluate>(inner->stmts[1]));
  EXPECT_TRUE(isa<Break>(inner->stmts[2]));
}

TEST(Mutator, RenamesDeclarationsAndReferences) {
  Arena arena;
  const Module *module = program(arena);
  const Module *renamed = as<Module>(renameVariables(arena, module, [](const std::string &n) { return n + "_1"; }));
  EXPECT_TRUE(verify(*renamed).empty());
  EXPECT_NE(print(renamed).find("(VarRef i32 \"accum_1\")"), std::string::npos);
}

TEST(Verify, AcceptsASoundProgram) {
  Arena arena;
  EXPECT_TRUE(verify(*program(arena)).empty());
}

TEST(Verify, NamesWhatIsBroken) {
  struct Case {
    std::string statement, expected;
  };
  for (const Case &c :
       {Case{"(Evaluate (VarRef i32 \"nobody\"))", "'nobody' is not declared"}, Case{"(Break)", "break outside"},
        Case{"(Continue)", "continue outside"},
        Case{"(Evaluate (Call i32 \"nothing\" []))", "function 'nothing' does not exist"},
        Case{"(Evaluate (SpectrumCall i32 \"dot\" [] \"\" [] {} none - [] -))", "spectrum 'dot' does not exist"},
        Case{"(Evaluate (Binary i32 add (IntLit i32 1) (IntLit u32 1)))", "+ of i32 and u32"},
        Case{"(Evaluate (Assign i32 set (IntLit i32 1) (IntLit i32 1)))", "cannot be assigned to"},
        Case{"(Declare \"in\" i32 false false [] - -)", "declared twice"},
        Case{
            "(Evaluate (Partition array<1,array<1,i32>> (VarRef array<1,i32> \"in\") [(VarRef array<1,i32> \"in\")] [] "
            "[] []))",
            "the count of a partition is array<1,i32>, not an integer"},
        Case{"(Evaluate (Partition array<1,array<1,i32>> (IntLit i32 1) [(IntLit u64 1)] [] [] []))",
             "the container of a partition is i32, not a container"},
        Case{"(Evaluate (Sequence u64 - (FloatLit f32 1.0) - -))", "the start of a sequence is f32, not an integer"},
        Case{"(Evaluate (Sequence u64 - (IntLit u64 0) (VarRef array<1,i32> \"in\") (IntLit u64 0)))",
             "the increment of a sequence is array<1,i32>, not an integer"},
        Case{"(Evaluate (Sequence u64 - (IntLit u64 0) (IntLit u64 1) (FloatLit f64 1.0)))",
             "the end of a sequence is f64, not an integer"},
        Case{"(Evaluate (Sequence u64 (IntLit i32 1) (IntLit u64 0) - -))",
             "the container of a sequence is i32, not a container"},
        Case{"(View \"v\" i32 \"gone\" true (IntLit u64 0) [] [])", "view of 'gone'"}}) {
    Arena arena;
    std::string text = fmt::format(R"((Module [] [] [(Spectrum "s" void [] [] [
      (Codelet "a" "" "" false false [] [] [(Param "in" array<1,i32> in)] [] (Block [{}]))])] []))",
                                   c.statement);
    std::vector<Violation> found = verify(*as<Module>(parse(text, arena)));
    ASSERT_EQ(found.size(), 1u) << c.statement;
    EXPECT_NE(found[0].message.find(c.expected), std::string::npos) << found[0].message;
  }
}

TEST(Verify, EachCallStandsInOneCodelet) {
  Arena arena;
  const char *text = R"((Module [] [] [(Spectrum "s" void [] [] [
      (Codelet "a" "" "" false false [] [] [] [] (Block [(Evaluate (SpectrumCall void "s" [] "" [] {} none - [] -))]))
      (Codelet "b" "" "a" false false [] [] [] [] (Block []))])] []))";
  const Module *module = as<Module>(parse(text, arena));
  EXPECT_TRUE(verify(*module).empty());
  const Spectrum *spectrum = module->spectrums[0];
  const auto *again = arena.derive(spectrum->codelets[1], [&](Codelet &c) { c.body = spectrum->codelets[0]->body; });
  const auto *both = arena.derive(spectrum, [&](Spectrum &s) { s.codelets = {s.codelets[0], again}; });
  const std::vector<Violation> found = verify(*arena.derive(module, [&](Module &m) { m.spectrums = {both}; }));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].message, "a call of 's' stands in two codelets");
}

TEST(Verify, WhatACodeletIsMadeOfStandsInFrontOfIt) {
  for (const char *from : {"a", "b", "gone"}) {
    Arena arena;
    const std::string text = fmt::format(R"((Module [] [] [(Spectrum "s" void [] [] [
      (Codelet "a" "" "" false false [] [] [] [] (Block []))
      (Codelet "b" "" "{}" false false [] [] [] [] (Block []))])] []))",
                                         from);
    EXPECT_EQ(verify(*as<Module>(parse(text, arena))).size(), from == std::string("a") ? 0u : 1u) << from;
  }
}

} // namespace
} // namespace tangram::ast
