// Expanders: they only add, and who does more is named.
#include "SumProgram.h"
#include "tangram/session/Session.h"

using namespace tangram;
using namespace tangram::test;

namespace {

using Expand = std::function<const ast::Module *(const ast::Module *, ExpandContext &)>;

class LambdaExpander final : public Expander {
public:
  explicit LambdaExpander(Expand run) : run_(std::move(run)) {}
  const ast::Module *run(const ast::Module *module, ExpandContext &context) override { return run_(module, context); }

private:
  Expand run_;
};

const ast::Module *withCodelets(const ast::Module *m, ExpandContext &c, std::vector<const ast::Codelet *> codelets) {
  const ast::Spectrum *s = c.arena.derive(m->spectrums[0], [&](ast::Spectrum &x) { x.codelets = std::move(codelets); });
  return c.arena.derive(m, [&](ast::Module &x) { x.spectrums[0] = s; });
}

struct ExpanderTest : testing::Test {
  Session session;

  /// Runs it on a spectrum with one codelet, which returns 1.
  const ast::Module *expand(Expand run) {
    ExpanderDescriptor d;
    d.name = "test-expander";
    d.summary = "for a test";
    d.create = [run](const OptionValues &) { return std::make_unique<LambdaExpander>(run); };
    session.registry().expanders.add(d);
    std::string text = "(Module [] [] [" + spectrum("one", {codelet("a", {"(Return (IntLit i32 1))"})}) + "] [])";
    hardware::Target t;
    t.name = t.hardware.name = "test";
    hardware::Level level;
    level.name = "thread";
    level.scalar = true;
    t.hardware.levels = {level};
    t.pipeline.expanders = {{"test-expander", {}, {}}};
    session.open(ast::as<ast::Module>(ast::parse(text, session.arena())), t);
    session.expand();
    return &session.module();
  }
  std::string failure(Expand run) {
    try {
      expand(std::move(run));
    } catch (const DiagnosticError &e) {
      EXPECT_EQ(e.diagnostic.cls, DiagnosticClass::Bug);
      return e.diagnostic.message;
    }
    return "nothing failed";
  }
};

TEST_F(ExpanderTest, AddsCodeletsAndSpectrums) {
  const ast::Module *m = expand([](const ast::Module *before, ExpandContext &c) {
    const ast::Codelet *a = before->spectrums[0]->codelets[0];
    const ast::Codelet *b = c.arena.derive(a, [](ast::Codelet &x) { x.name = x.tag = "b"; });
    c.declined.push_back({"one", "c", {}, "there is no c", {}});
    const ast::Module *more = withCodelets(before, c, {a, b});
    const ast::Spectrum *other = c.arena.derive(before->spectrums[0], [](ast::Spectrum &s) { s.name = "other"; });
    return c.arena.derive(more, [&](ast::Module &x) { x.spectrums.push_back(other); });
  });
  EXPECT_EQ(m->spectrums.size(), 2U);
  EXPECT_EQ(m->spectrums[0]->codelets.size(), 2U);
  ASSERT_EQ(session.notExpanded().size(), 1U);
  EXPECT_EQ(session.notExpanded()[0].expander, "test-expander");
}

TEST_F(ExpanderTest, RemovingACodeletIsNamed) {
  EXPECT_NE(failure([](const ast::Module *m, ExpandContext &c) {
              return withCodelets(m, c, {});
            }).find("expander 'test-expander': codelet 'a' was removed, of spectrum 'one'"),
            std::string::npos);
}

TEST_F(ExpanderTest, ChangingACodeletIsNamed) {
  std::string said = failure([](const ast::Module *m, ExpandContext &c) {
    const ast::Codelet *a = m->spectrums[0]->codelets[0];
    const ast::Block *nothing = c.arena.make<ast::Block>({}, std::vector<const ast::Stmt *>{});
    return withCodelets(m, c, {c.arena.derive(a, [&](ast::Codelet &x) { x.body = nothing; })});
  });
  EXPECT_NE(said.find("codelet 'a' was changed, of spectrum 'one'"), std::string::npos) << said;
}

TEST_F(ExpanderTest, ChangingASignatureIsNamed) {
  std::string said = failure([](const ast::Module *m, ExpandContext &c) {
    const ast::Spectrum *s = c.arena.derive(m->spectrums[0], [](ast::Spectrum &x) { x.params.clear(); });
    return c.arena.derive(m, [&](ast::Module &x) { x.spectrums[0] = s; });
  });
  EXPECT_NE(said.find("the signature of 'one' was changed"), std::string::npos) << said;
}

TEST_F(ExpanderTest, ABrokenAstIsTheExpanders) {
  std::string said = failure([](const ast::Module *m, ExpandContext &c) {
    const ast::Codelet *a = m->spectrums[0]->codelets[0];
    const ast::Expr *ref = c.arena.make<ast::VarRef>({}, ast::Type(ast::Scalar::I32), std::string("nowhere"));
    const ast::Stmt *s = c.arena.make<ast::Return>({}, ref);
    const ast::Block *body = c.arena.make<ast::Block>({}, std::vector<const ast::Stmt *>{s});
    const ast::Codelet *b = c.arena.derive(a, [&](ast::Codelet &x) {
      x.name = x.tag = "b";
      x.body = body;
    });
    return withCodelets(m, c, {a, b});
  });
  EXPECT_NE(said.find("expander 'test-expander'"), std::string::npos) << said;
  EXPECT_NE(said.find("nowhere"), std::string::npos) << said;
}

} // namespace
