// Programs that nest as deep as a textual AST may: everything that recurses must come to their end.
#include "passes/Program.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Text.h"
#include "tangram/ast/Verify.h"
#include "tangram/ast/Walk.h"
#include "tangram/session/Session.h"

#include <functional>
#include <gtest/gtest.h>

using namespace tangram;
using namespace tangram::test::program;

namespace {

constexpr std::size_t kDeepest = 600; // that parse() takes

std::size_t depth(const ast::Node *root) {
  std::size_t deepest = 0;
  std::vector<std::pair<const ast::Node *, std::size_t>> open{{root, 1}};
  while (!open.empty()) {
    auto [node, at] = open.back();
    open.pop_back();
    deepest = std::max(deepest, at);
    for (const ast::Node *child : ast::children(*node)) open.emplace_back(child, at + 1);
  }
  return deepest;
}

E n() { return var("n", I32); }
E v() { return var("v", I32); }

struct Shape {
  const char *name;
  std::function<Ss(int levels)> write;
};
void PrintTo(const Shape &shape, std::ostream *out) { *out << shape.name; }

class Depth : public testing::TestWithParam<Shape> {
protected:
  Depth() { arena = &arena_; }

  /// i32 f(int n, Array<1,int> out, const Array<1,int> in), run by one thread of the target.
  const ast::Module *program(const hardware::Hardware &hardware, int levels) {
    ast::Texts devolved;
    for (const hardware::Level &level : hardware.levels) {
      if (level.name != hardware.top().name) devolved.push_back(level.name);
      if (level.name == "thread") break;
    }
    Ps params{in("n", I32), inOut("out", A1(I32)), in("in", A1(I32))};
    Ss stmts = GetParam().write(levels);
    stmts.insert(stmts.begin(), let("v", I32, 1));
    stmts.push_back(ret(v()));
    const ast::SpectrumCall *top = call("f", I32, codelet("a", params, stmts), hardware.top().name, {}, devolved);
    return module(top, {spectrum("f", I32, params), spectrum("g", I32, {in("n", I32)}),
                        spectrum("s", I32, {in("in", A1(I32)), in("n", I32)})});
  }
  /// As deep as can be.
  const ast::Module *deepest(const hardware::Hardware &hardware) {
    std::size_t one = depth(program(hardware, 1)), two = depth(program(hardware, 2));
    const ast::Module *m = program(hardware, static_cast<int>(1 + (kDeepest - one) / (two - one)));
    EXPECT_LE(depth(m), kDeepest);
    EXPECT_GT(depth(m), kDeepest - (two - one));
    return m;
  }

  ast::Arena arena_;
};

TEST_P(Depth, Tree) {
  hardware::Hardware h;
  for (const char *name : {"process", "thread"}) {
    hardware::Level level;
    level.name = name;
    h.levels.push_back(level);
  }
  const ast::Module *m = deepest(h);
  const ast::Node *again = ast::parse(ast::print(m), arena_);
  EXPECT_TRUE(ast::equal(m, again));
  EXPECT_EQ(ast::hash(m), ast::hash(again));
  EXPECT_TRUE(ast::verify(*m).empty());
  EXPECT_FALSE(ast::contains<ast::Sync>(m));
  const ast::Node *renamed = ast::renameVariables(arena_, m, [](const std::string &name) { return name + "_"; });
  EXPECT_EQ(depth(renamed), depth(m));
}

TEST_P(Depth, Pipeline) {
  for (const char *name : {"cpu-openmp", "cuda", "opencl-cpu"}) {
    SCOPED_TRACE(name);
    SessionOptions options;
    options.pluginFolders = {TANGRAM_BINARY_DIR "/lib/tangram/plugins"};
    Session session(options);
    hardware::Target target = hardware::loadTarget(name, arena_);
    if (target.name != "cpu-openmp" && !session.registry().backends.find(target.pipeline.backend.name))
      continue; // not built
    const ast::Module *m = deepest(target.hardware);
    session.open(m, target);
    try {
      const ast::Module *lowered = session.runPasses(m, session.target().pipeline.passes, arena_);
      EXPECT_FALSE(session.emit(*lowered, "deep").empty());
    } catch (const DiagnosticError &error) {
      EXPECT_EQ(error.diagnostic.cls, DiagnosticClass::Limitation) << render(error.diagnostic, false);
    }
  }
}

E repeated(int levels, E e, const std::function<E(E)> &f) {
  while (levels--) e = f(e);
  return e;
}
Ss repeated(int levels, Ss stmts, const std::function<S(Ss)> &f) {
  while (levels--) stmts = {f(std::move(stmts))};
  return stmts;
}
/// A call, so that what is around it cannot stay one expression.
E called() { return call("g", I32, codelet("b", {in("n", I32)}, {ret(n() * 2)}), "thread", {n()}); }
/// v = e, with a leaf that is a variable or a call.
std::vector<Shape> around(const char *plain, const char *hoisting, std::function<E(E)> f) {
  return {{plain, [=](int levels) { return Ss{set(v(), repeated(levels, n(), f))}; }},
          {hoisting, [=](int levels) { return Ss{set(v(), repeated(levels, called(), f))}; }}};
}
Shape statements(const char *name, std::function<S(Ss)> f) {
  return {name, [=](int levels) { return repeated(levels, {add(v(), 1)}, f); }};
}

std::vector<Shape> shapes() {
  std::vector<Shape> all{
      statements("Blocks", [](Ss inner) -> S { return block(inner); }),
      statements("Ifs", [](Ss inner) { return when(v() < n(), inner); }),
      statements("Elses", [](Ss inner) { return when(v() < n(), {add(v(), 1)}, inner); }),
      statements("Whiles", [](Ss inner) { return whileLoop(v() < n(), inner); }),
      statements("DoWhiles", [](Ss inner) { return doWhile(inner, v() < n()); }),
      statements("Switches", [](Ss inner) { return choose(n(), {option({1}, inner)}); }),
      statements("Leaves", [](Ss inner) { return whileLoop(v() < n(), {when(v() < 2, inner), leave()}); }),
      {"Fors",
       [](int levels) {
         Ss stmts{add(v(), 1)};
         for (int l = 0; l < levels; ++l) stmts = {loop("i" + std::to_string(l), 2, std::move(stmts))};
         return stmts;
       }},
      {"Returns",
       [](int levels) { return repeated(levels, {ret(v())}, [](Ss inner) { return when(v() < n(), inner); }); }},
      {"Calls",
       [](int levels) {
         E e = repeated(levels, n(), [](E inner) -> E {
           return call("g", I32, codelet("b", {in("n", I32)}, {ret(inner)}), "thread", {n()});
         });
         return Ss{set(v(), e)};
       }},
      {"Arguments",
       [](int levels) {
         E e = repeated(levels, n(), [](E inner) -> E {
           return call("g", I32, codelet("b", {in("n", I32)}, {ret(n() * 2)}), "thread", {inner});
         });
         return Ss{set(v(), e)};
       }},
  };
  auto take = [&](std::vector<Shape> more) { all.insert(all.end(), more.begin(), more.end()); };
  take(around("Left", "LeftOfCall", [](E e) { return e + n(); }));
  take(around("Right", "RightOfCall", [](E e) { return n() - e; }));
  take(
      around("Negations", "NegationsOfCall", [](E e) -> E { return make<ast::Unary>(I32, ast::UnaryOp::Minus, e.e); }));
  take(around("Casts", "CastsOfCall", [](E e) { return cast(I32, cast(I64, e)); }));
  take(around("Thens", "ThensOfCall", [](E e) { return select(v() < n(), e, 3); }));
  take(around("Conditions", "ConditionsOfCall", [](E e) { return select(e < n(), 3, 4); }));
  take(around("Ands", "AndsOfCall", [](E e) { return cast(I32, both(v() < n(), e < n())); }));
  take(around("Commas", "CommasOfCall", [](E e) { return comma(v(), e); }));
  take(around("Assignments", "AssignmentsOfCall", [](E e) { return assign(v(), e); }));
  take(around("Indices", "IndicesOfCall", [](E e) { return at(var("out", A1(I32)), {cast(U64, e)}, I32); }));
  return all;
}

INSTANTIATE_TEST_SUITE_P(Shapes, Depth, testing::ValuesIn(shapes()),
                         [](const testing::TestParamInfo<Shape> &info) { return std::string(info.param.name); });

} // namespace
