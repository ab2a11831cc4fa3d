// Running passes: order, verification between them, printing, and what a crash file holds.
#include "tangram/ast/Text.h"
#include "tangram/ast/Walk.h"
#include "tangram/pass/Property.h"
#include "tangram/session/Session.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace tangram;

namespace {

class LambdaPass final : public Pass {
public:
  using Run = std::function<const ast::Module *(const ast::Module *, PassContext &)>;
  explicit LambdaPass(Run run) : run_(std::move(run)) {}
  const ast::Module *run(const ast::Module *module, PassContext &context) override { return run_(module, context); }

private:
  Run run_;
};

const ast::Module *renamed(const ast::Module *module, PassContext &context, const std::string &by) {
  const ast::Kernel *kernel = context.arena.derive(module->kernels[0], [&](ast::Kernel &k) { k.name += by; });
  return context.arena.derive(module, [&](ast::Module &m) { m.kernels = {kernel}; });
}

struct SessionTest : testing::Test {
  std::ostringstream printed;

  std::unique_ptr<Session> session(SessionOptions options = {}) {
    options.printTo = &printed;
    auto s = std::make_unique<Session>(options);
    auto add = [&](const std::string &name, LambdaPass::Run run) {
      PassDescriptor d;
      d.name = name;
      d.summary = "for a test";
      d.create = [run](const OptionValues &) { return std::make_unique<LambdaPass>(run); };
      s->registry().passes.add(d);
    };
    add("test-one", [](const ast::Module *m, PassContext &c) { return renamed(m, c, "_1"); });
    add("test-two", [](const ast::Module *m, PassContext &c) { return renamed(m, c, "_2"); });
    add("test-same", [](const ast::Module *m, PassContext &) { return m; });
    add("test-null", [](const ast::Module *, PassContext &) -> const ast::Module * { return nullptr; });
    add("test-throws",
        [](const ast::Module *, PassContext &) -> const ast::Module * { throw std::runtime_error("out of ideas"); });
    add("test-reports", [](const ast::Module *m, PassContext &c) {
      static constexpr DiagnosticKind kind{"test.wrong", DiagnosticClass::User, "it is wrong", "make it right"};
      c.diags.report(kind, {});
      return m;
    });
    add("test-breaks", [](const ast::Module *m, PassContext &c) {
      // A reference to what is declared nowhere.
      const ast::Expr *ref = c.arena.make<ast::VarRef>({}, ast::Type(ast::Scalar::I32), std::string("nowhere"));
      const ast::Stmt *stmt = c.arena.make<ast::Evaluate>({}, ref);
      const ast::Block *body = c.arena.make<ast::Block>({}, std::vector<const ast::Stmt *>{stmt});
      const ast::Kernel *kernel = c.arena.derive(m->kernels[0], [&](ast::Kernel &k) { k.body = body; });
      return c.arena.derive(m, [&](ast::Module &x) { x.kernels = {kernel}; });
    });
    auto change = [&](const std::string &name, bool returns) {
      PassDescriptor d;
      d.name = name;
      d.summary = "for a test";
      d.establishes = returns ? std::vector<std::string>{} : std::vector<std::string>{"test-no-returns"};
      d.create = [returns](const OptionValues &) {
        return std::make_unique<LambdaPass>([returns](const ast::Module *m, PassContext &c) {
          std::vector<const ast::Stmt *> stmts;
          if (returns) stmts.push_back(c.arena.make<ast::Return>({}, nullptr));
          const ast::Block *body = c.arena.make<ast::Block>({}, stmts);
          const ast::Kernel *kernel = c.arena.derive(m->kernels[0], [&](ast::Kernel &k) { k.body = body; });
          return c.arena.derive(m, [&](ast::Module &x) { x.kernels = {kernel}; });
        });
      };
      s->registry().passes.add(d);
    };
    change("test-no-returns", false);
    change("test-returns", true);
    s->registry().properties.add(property("test-no-returns", "for a test", nodesOf<ast::Return>));
    PassDescriptor liar;
    liar.name = "test-lies";
    liar.summary = "for a test";
    liar.establishes = {"test-no-returns"};
    liar.create = [](const OptionValues &) {
      return std::make_unique<LambdaPass>([](const ast::Module *m, PassContext &) { return m; });
    };
    s->registry().passes.add(liar);
    const ast::Block *body = s->arena().make<ast::Block>({}, std::vector<const ast::Stmt *>{});
    const ast::Kernel *kernel = s->arena().make<ast::Kernel>(
        {}, std::string("k"), std::string("k"), std::string(), ast::Type(), std::vector<const ast::Param *>{},
        std::vector<const ast::Expr *>{}, std::vector<const ast::Param *>{}, std::vector<const ast::Expr *>{}, body);
    const ast::Spectrum *spectrum =
        s->arena().make<ast::Spectrum>({}, std::string("k"), ast::Type(), std::vector<const ast::Param *>{},
                                       std::vector<const ast::Expr *>{}, std::vector<const ast::Codelet *>{});
    const ast::Module *module = s->arena().make<ast::Module>(
        {}, std::vector<const ast::Struct *>{}, std::vector<const ast::Function *>{},
        std::vector<const ast::Spectrum *>{spectrum}, std::vector<const ast::Kernel *>{kernel});
    s->open(module, hardware::Target(target()));
    return s;
  }

  static hardware::Target target() {
    hardware::Target t;
    t.name = t.hardware.name = "test";
    hardware::Level level;
    level.name = "thread";
    level.symbol = "T";
    level.scalar = true;
    t.hardware.levels = {level};
    return t;
  }

  static std::vector<hardware::Step> steps(std::initializer_list<const char *> names) {
    std::vector<hardware::Step> result;
    for (const char *name : names) result.push_back({name, {}, {}});
    return result;
  }

  /// Runs the passes; the diagnostic that ends them.
  Diagnostic failure(Session &s, std::initializer_list<const char *> names) {
    try {
      s.runPasses(&s.module(), steps(names), s.arena());
    } catch (const DiagnosticError &e) {
      return e.diagnostic;
    }
    ADD_FAILURE() << "nothing failed";
    return {};
  }
};

} // namespace

TEST_F(SessionTest, PassesRunInOrder) {
  auto s = session();
  const ast::Module *m = s->runPasses(&s->module(), steps({"test-one", "test-same", "test-two"}), s->arena());
  EXPECT_EQ(m->kernels[0]->name, "k_1_2");
  EXPECT_EQ(s->module().kernels[0]->name, "k");
  ASSERT_EQ(s->timings().size(), 3u);
  EXPECT_EQ(s->timings()[0].step, "pass test-one");
  EXPECT_EQ(printed.str(), "");
}

TEST_F(SessionTest, ThePassThatBrokeTheAstIsNamed) {
  auto s = session();
  Diagnostic d = failure(*s, {"test-one", "test-breaks", "test-two"});
  EXPECT_EQ(d.cls, DiagnosticClass::Bug);
  EXPECT_NE(d.message.find("test-breaks"), std::string::npos) << d.message;
  EXPECT_NE(d.message.find("nowhere"), std::string::npos) << d.message;
}

TEST_F(SessionTest, ThePassThatBreaksAPropertyIsNamed) {
  SessionOptions options;
  options.verifyProperties = true;
  auto s = session(options);
  Diagnostic d = failure(*s, {"test-no-returns", "test-one", "test-returns", "test-two"});
  EXPECT_EQ(d.cls, DiagnosticClass::Bug);
  EXPECT_NE(d.message.find("pass 'test-returns'"), std::string::npos) << d.message;
  EXPECT_NE(
      d.message.find("broke the property 'test-no-returns', which test-no-returns has established: there is a Return"),
      std::string::npos)
      << d.message;
  d = failure(*s, {"test-returns", "test-lies"});
  EXPECT_NE(d.message.find("pass 'test-lies'"), std::string::npos) << d.message;
  EXPECT_NE(d.message.find("does not establish the property 'test-no-returns' as it says: there is a Return"),
            std::string::npos)
      << d.message;
  // What is not established may be there, and nothing is asked where it was not asked for.
  EXPECT_TRUE(s->runPasses(&s->module(), steps({"test-returns", "test-one"}), s->arena()));
  EXPECT_TRUE(session()->runPasses(&s->module(), steps({"test-no-returns", "test-returns"}), s->arena()));
}

TEST_F(SessionTest, VerificationCanBeLeftOut) {
  SessionOptions options;
  options.verifyBetweenPasses = false;
  auto s = session(options);
  EXPECT_TRUE(s->runPasses(&s->module(), steps({"test-breaks"}), s->arena()));
}

TEST_F(SessionTest, WhatEscapesFromAPassIsABugOfIt) {
  auto s = session();
  Diagnostic d = failure(*s, {"test-throws"});
  EXPECT_EQ(d.cls, DiagnosticClass::Bug);
  EXPECT_NE(d.message.find("test-throws"), std::string::npos);
  EXPECT_NE(d.message.find("out of ideas"), std::string::npos);
  auto t = session();
  EXPECT_NE(failure(*t, {"test-null"}).message.find("test-null"), std::string::npos);
}

TEST_F(SessionTest, ReportedErrorsEndTheWork) {
  auto s = session();
  EXPECT_THROW(s->runPasses(&s->module(), steps({"test-reports", "test-throws"}), s->arena()), ErrorsReported);
  EXPECT_TRUE(s->diags().hasErrors());
}

TEST_F(SessionTest, UnknownPassesAreSuggested) {
  auto s = session();
  Diagnostic d = failure(*s, {"test-onne"});
  EXPECT_EQ(d.cls, DiagnosticClass::User);
  EXPECT_NE((d.message + d.advice).find("test-one"), std::string::npos);
}

TEST_F(SessionTest, PrintAfter) {
  auto run = [&](PrintAfter when, const std::string &pass = "") {
    printed.str("");
    SessionOptions options;
    options.printAfter = when;
    options.printAfterPass = pass;
    auto s = session(options);
    s->runPasses(&s->module(), steps({"test-one", "test-same", "test-two"}), s->arena());
    return printed.str();
  };
  std::string all = run(PrintAfter::All), change = run(PrintAfter::Change), named = run(PrintAfter::Named, "test-two");
  EXPECT_NE(all.find("after pass test-same (no change)"), std::string::npos);
  EXPECT_EQ(change.find("test-same"), std::string::npos);
  EXPECT_NE(change.find("after pass test-one"), std::string::npos);
  EXPECT_EQ(named.find("after pass test-one"), std::string::npos);
  EXPECT_NE(named.find("k_1_2"), std::string::npos);
  EXPECT_EQ(run(PrintAfter::Fail), "");
}

TEST_F(SessionTest, PrintAfterFailShowsBothSides) {
  SessionOptions options;
  options.printAfter = PrintAfter::Fail;
  auto s = session(options);
  failure(*s, {"test-one", "test-breaks"});
  EXPECT_NE(printed.str().find("before pass test-breaks"), std::string::npos);
  EXPECT_NE(printed.str().find("after pass test-breaks"), std::string::npos);
  EXPECT_EQ(printed.str().find("pass test-one"), std::string::npos);
}

TEST_F(SessionTest, EntryNamesAreDifferentIdentifiers) {
  auto named = [](std::initializer_list<const char *> spectrums) {
    std::vector<Plan> plans;
    for (const char *s : spectrums) plans.push_back({s, "", {}, {}, {}, {}, nullptr});
    return Session::entryNames(plans);
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(named({"sum"}), Names{"sum"});
  EXPECT_EQ(named({"sum", "dot"}), (Names{"sum", "dot"}));
  EXPECT_EQ(named({"sum", "sum"}), (Names{"sum_1", "sum_2"}));
  EXPECT_EQ(named({"sum<float>", "sum<double>"}), (Names{"sum_float", "sum_double"}));
  EXPECT_EQ(named({"sum_1", "sum", "sum"}), (Names{"sum_1", "sum_2", "sum_3"}));
  Names clash = named({"f<int>", "f_int"});
  EXPECT_NE(clash[0], clash[1]);
}

// ---- crash files ---------------------------------------------------------------------------------------

TEST_F(SessionTest, ACrashFileHasThePassesStillToRunAndTheAst) {
  auto s = session();
  failure(*s, {"test-one", "test-throws", "test-two"});
  CrashState state = parseCrashState(s->crashReport(), "crash", s->arena());
  EXPECT_EQ(state.step, "pass test-throws");
  EXPECT_EQ(state.passes, (std::vector<std::string>{"test-throws", "test-two"}));
  const ast::Node *module = ast::parse(state.module, s->arena());
  ASSERT_TRUE(ast::isa<ast::Module>(module));
  EXPECT_EQ(ast::as<ast::Module>(module)->kernels[0]->name, "k_1");
}

TEST(CrashState, PrintsAndParsesBack) {
  ast::Arena arena;
  CrashState state;
  state.step = "pass flatten";
  state.passes = {"flatten", "lockstep"};
  state.spectrum = "sum<float>";
  state.file = "a file.tg.cpp";
  state.target = "a: 1\n\n=== end\n  b: 2\n";
  state.plans = "plan sum for t\n";
  state.module = "(Module)\n";
  CrashState back = parseCrashState("tangram crash file\ncommand: x\n" + print(state), "f", arena);
  EXPECT_EQ(back.step, state.step);
  EXPECT_EQ(back.passes, state.passes);
  EXPECT_EQ(back.spectrum, state.spectrum);
  EXPECT_EQ(back.file, state.file);
  EXPECT_EQ(back.target, state.target);
  EXPECT_EQ(back.plans, state.plans);
  EXPECT_EQ(back.source, "");
  EXPECT_EQ(back.module, state.module);
}

TEST(CrashState, OtherTextIsRefused) {
  ast::Arena arena;
  for (const char *text : {"", "hello", "=== step\n x\n", "=== step\nx\n=== end\n", "=== step\n=== step\n=== end\n"}) {
    try {
      parseCrashState(text, "f", arena);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const DiagnosticError &e) {
      EXPECT_EQ(e.diagnostic.id, "crash.not-a-crash-file");
      EXPECT_EQ(exitCode(e.diagnostic.cls), 1);
    }
  }
}

// Expanders and analyses see what is wanted, and what has to do with it.
TEST(SessionWanted, OnlyWhatIsNeededIsExpanded) {
  auto names = [](std::vector<std::string> wanted, bool written) {
    SessionOptions options;
    options.pluginFolders = {TANGRAM_BINARY_DIR "/lib/tangram/plugins"};
    Session session(options);
    session.open({TANGRAM_SOURCE_DIR "/tests/lit/driver/Inputs/ranges.tg.cpp"}, "cpu-simple");
    session.setWanted(std::move(wanted));
    std::set<std::string> result;
    for (const ast::Spectrum *s : (written ? session.written() : session.module()).spectrums) result.insert(s->name);
    return result;
  };
  const std::set<std::string> all = names({}, true);
  EXPECT_EQ(names({}, false), all);
  EXPECT_EQ(names({"total"}, true), all);
  for (const char *of : {"filled", "fill"}) // the second is called by the first
    EXPECT_EQ(names({of}, false), (std::set<std::string>{"fill", "filled"})) << of;
  EXPECT_EQ(names({"filled", "unknown"}, false), all); // what is unknown is said where it is asked for
}

TEST(SessionFiles, WhereNoneWasOpenedThatIsSaid) {
  Session session;
  EXPECT_THROW(session.module(), DiagnosticError);
}

// What a plan needs of a device shows when it is lowered; who compiles the plan then does not lower it once more.
struct SessionFit : testing::Test {
  int runs = 0;
  std::unique_ptr<Session> session;

  /// The pass that counts alone, or all of a target's behind it.
  void open(const std::string &file, bool thenAll = false) {
    SessionOptions options;
    options.pluginFolders = {TANGRAM_BINARY_DIR "/lib/tangram/plugins"};
    session = std::make_unique<Session>(options);
    PassDescriptor counting;
    counting.name = "test-counting";
    counting.summary = "for a test";
    counting.create = [this](const OptionValues &) {
      return std::make_unique<LambdaPass>([this](const ast::Module *m, PassContext &c) {
        static constexpr DiagnosticKind kind{"test.remark", DiagnosticClass::User, "it is lowered", "be glad",
                                             Severity::Warning};
        c.diags.report(kind, {});
        ++runs;
        return m;
      });
    };
    session->registry().passes.add(counting);
    const std::string name = thenAll ? "cuda" : "gpu";
    hardware::Target target = hardware::loadTarget(TANGRAM_SOURCE_DIR "/hw/" + name + ".yaml", session->arena());
    if (!thenAll) target.pipeline.passes.clear();
    target.pipeline.passes.insert(target.pipeline.passes.begin(), {"test-counting", {}, {}});
    session->open({TANGRAM_SOURCE_DIR "/tests/lit/driver/Inputs/" + file}, target);
  }
  std::vector<Plan> picked(const std::vector<std::string> &spectrums) {
    std::vector<Plan> plans;
    for (const std::string &spectrum : spectrums) {
      HeuristicContext context;
      plans.push_back(session->pick(spectrum, context));
    }
    return plans;
  }
};

TEST_F(SessionFit, APlanIsLoweredOnce) {
  open("sum.tg.cpp");
  const std::vector<Plan> plans = picked({"sum"});
  session->diags().take();
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(session->unfit(plans[0]), "");
  EXPECT_EQ(runs, 1);
  ast::Arena arena;
  const ast::Module *lowered = session->lower(plans, arena);
  EXPECT_EQ(runs, 1);
  ASSERT_EQ(lowered->kernels.size(), 1u);
  EXPECT_EQ(lowered->kernels[0]->spectrum, "sum");
  EXPECT_EQ(session->diags().take().size(), 1u); // what the passes say is said
  session->lower(plans, arena);
  EXPECT_EQ(runs, 2);
}

TEST_F(SessionFit, EachOfSeveralPlansIsLoweredOnce) {
  open("ranges.tg.cpp", true);
  session->setEntrySuffix("_gpu");
  const std::vector<Plan> plans = picked({"total", "filled"});
  session->diags().take();
  EXPECT_EQ(runs, 2);
  ast::Arena arena;
  const ast::Module *apart = session->lower(plans, arena);
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(session->diags().take().size(), 2u);
  ASSERT_EQ(apart->kernels.size(), 2u);
  EXPECT_EQ(apart->kernels[0]->name, "total_gpu");
  EXPECT_EQ(apart->kernels[1]->name, "filled_gpu");
  // As it is where they are lowered together.
  EXPECT_EQ(ast::print(apart), ast::print(session->lower(plans, arena)));
  EXPECT_EQ(runs, 3);
}

// Several plans of one spectrum have entries with numbers, which they do not have by themselves.
TEST_F(SessionFit, PlansOfOneSpectrumAreLoweredTogether) {
  open("sum.tg.cpp");
  const std::vector<Plan> plans = picked({"sum", "sum"});
  EXPECT_EQ(runs, 1);
  ast::Arena arena;
  const ast::Module *lowered = session->lower(plans, arena);
  EXPECT_EQ(runs, 2);
  ASSERT_EQ(lowered->kernels.size(), 2u);
  EXPECT_EQ(lowered->kernels[1]->name, "sum_2");
}
