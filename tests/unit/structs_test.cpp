// Structs: where fields lie, what a verified AST may have, and values made of them.
#include "tangram/ast/Structs.h"
#include "tangram/ast/Text.h"
#include "tangram/ast/Verify.h"
#include "tangram/diag/Diagnostic.h"
#include "tangram/verify/ArgumentSpec.h"
#include "tangram/verify/Compare.h"

#include <gtest/gtest.h>

namespace tangram {
namespace {

const ast::Module &parsed(ast::Arena &arena, const std::string &structs, const std::string &rest = "[] [] []") {
  return *ast::as<ast::Module>(ast::parse("(Module [" + structs + "] " + rest + ")", arena, "test.ast"));
}

const char *const kShape = R"(
  (Struct "Point" [(Param "x" f32 in) (Param "y" f64 in)])
  (Struct "Shape" [(Param "kind" u8 in) (Param "at" struct<Point> in) (Param "rank" i16 in) (Param "open" bool in)]))";

TEST(Structs, LieAsInCpp) {
  struct Point {
    float x;
    double y;
  };
  struct Shape {
    unsigned char kind;
    Point at;
    short rank;
    bool open;
  };
  ast::Arena arena;
  ast::Structs structs(parsed(arena, kShape));
  ast::Type shape = ast::Type::structure("Shape");
  EXPECT_EQ(structs.bytes(shape), sizeof(Shape));
  EXPECT_EQ(structs.bytes(ast::Scalar::F64), 8u);
  const auto &leaves = structs.leaves(shape);
  ASSERT_EQ(leaves.size(), 5u);
  EXPECT_EQ(leaves[2].name(), "at.y");
  EXPECT_EQ(leaves[2].name("_"), "at_y");
  EXPECT_EQ(leaves[1].offset, offsetof(Shape, at));
  EXPECT_EQ(leaves[2].offset, offsetof(Shape, at) + offsetof(Point, y));
  EXPECT_EQ(leaves[3].offset, offsetof(Shape, rank));
  EXPECT_EQ(leaves[4].offset, offsetof(Shape, open));
  EXPECT_EQ(structs.find(ast::Type::structure("Line")), nullptr);
}

TEST(Structs, FunctionsThatHaveToDoWithThem) {
  ast::Arena arena;
  const ast::Module &module = parsed(arena, kShape, R"([
    (Function "calls" f32 [] (Block [(Return (Call f32 "within" []))]))
    (Function "within" f32 [] (Block [(Declare "s" struct<Shape> false false [] - -)
      (Return (Member f32 (Member struct<Point> (VarRef struct<Shape> "s") "at") "x"))]))
    (Function "plain" f32 [(Param "x" f32 in)] (Block [(Return (VarRef f32 "x"))]))] [] [])");
  EXPECT_TRUE(ast::verify(module).empty());
  EXPECT_EQ(ast::functionsOfStructs(module), (std::set<std::string>{"calls", "within"}));
}

TEST(Structs, WhatIsBrokenIsSaid) {
  auto wrong = [](const std::string &structs, const std::string &rest = "[] [] []") {
    ast::Arena arena;
    std::vector<ast::Violation> violations = ast::verify(parsed(arena, structs, rest));
    return violations.empty() ? "" : violations[0].message;
  };
  EXPECT_EQ(wrong(kShape), "");
  EXPECT_EQ(wrong(R"((Struct "A" [(Param "a" struct<A> in)]))"),
            "field 'a' has type struct<A>, which is neither arithmetic nor a struct declared before");
  EXPECT_EQ(wrong(R"((Struct "A" [(Param "a" i32 in)]) (Struct "A" [(Param "a" i32 in)]))"),
            "struct 'A' is declared twice");
  EXPECT_EQ(wrong("", R"([(Function "f" i32 [(Param "a" struct<A> in)] (Block []))] [] [])"),
            "struct 'A' does not exist");
  EXPECT_EQ(wrong(kShape, R"([(Function "f" f64 [(Param "p" struct<Point> in)]
                            (Block [(Return (Member f64 (VarRef struct<Point> "p") "z"))]))] [] [])"),
            "struct 'Point' has no field 'z' of type f64");
  EXPECT_EQ(wrong("", R"([(Function "f" f64 [(Param "p" f64 in)]
                         (Block [(Return (Member f64 (VarRef f64 "p") "z"))]))] [] [])"),
            "'.z' of f64, which is no struct");
}

TEST(Structs, AsArguments) {
  ast::Arena arena;
  ast::Structs structs(parsed(arena, kShape));
  ast::Type type = ast::Type::array(2, ast::Type::structure("Shape"));
  runtime::Element element = *runtime::Element::of(type, structs);
  EXPECT_EQ(element.text(), "struct of kind, at.x, at.y, rank, open");
  EXPECT_FALSE(runtime::Element::of(ast::Type::structure("Line"), structs));

  runtime::ArgumentContext padded;
  padded.layout = {3, 1};
  runtime::Value value = runtime::makeValue(runtime::parseArgumentSpec("iota:2x3"), "shapes", element, 2, 1, padded);
  EXPECT_EQ(value.text(4), "{4, 4, 4, 4, true}");
  EXPECT_EQ(value.strayWrite(), "");
  runtime::Value other = value.copy();
  EXPECT_FALSE(runtime::compare(other, runtime::Expected(value.copy())));
  other.field(2).setReal(5, 7);
  other.field(3).setInteger(4, 8);
  std::optional<runtime::Mismatch> found = runtime::compare(other, runtime::Expected(value.copy()));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->index, (std::vector<std::uint64_t>{1, 1}));
  EXPECT_EQ(found->field, "rank");
  EXPECT_EQ(found->got, "8");
  other.assign(value);
  EXPECT_FALSE(runtime::compare(other, runtime::Expected(value.copy())));
  EXPECT_THROW(runtime::makeValue(runtime::parseArgumentSpec("1,2"), "shapes", element, 1, 1), DiagnosticError);
}

} // namespace
} // namespace tangram
