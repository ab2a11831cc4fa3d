// How plans are called and compared, and how the culprit is found.
#include "../../core/verify/Forecast.h"
#include "../../core/verify/VerifyPlans.h"
#include "tangram/ast/Build.h"
#include "tangram/verify/Trial.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

using namespace tangram;
using namespace tangram::runtime;

namespace {

PlanPtr select(const std::string &codelet, const std::string &level, std::vector<PlanPtr> children = {}) {
  auto node = std::make_shared<PlanNode>();
  node->rule = Rule::Select;
  node->spectrum = "sum";
  node->codelet = codelet;
  node->level = level;
  node->children = std::move(children);
  return node;
}
PlanPtr distribute(const std::string &level, const std::string &to, PlanPtr child) {
  auto node = std::make_shared<PlanNode>();
  node->rule = Rule::Distribute;
  node->spectrum = "sum";
  node->level = level;
  node->to = to;
  node->children = {std::move(child)};
  return node;
}
PlanPtr serialize(const std::string &level, PlanPtr child) {
  auto node = std::make_shared<PlanNode>();
  node->rule = Rule::Serialize;
  node->spectrum = "sum";
  node->level = level;
  node->children = {std::move(child)};
  return node;
}
Plan plan(PlanPtr root) { return {"sum", "t", {}, {}, {}, {}, std::move(root)}; }

std::vector<std::string> named(const std::vector<Suspect> &list) {
  std::vector<std::string> names;
  for (const Suspect &s : list) names.push_back(s.what);
  return names;
}

} // namespace

TEST(Trials, SayWhichArgumentsRoundingsDecide) {
  UndecidedTrials undecided;
  for (const auto &[whole, small] : {std::pair(false, false), {true, false}, {true, true}}) {
    Trial trial;
    trial.whole = whole;
    trial.small = small;
    trial.undecided.numbers = small ? 1 : whole ? 2 : 3;
    trial.undecided.written = 100;
    undecided.include(trial);
  }
  EXPECT_EQ(undecided.all().numbers, 3u);
  const std::vector<std::string> sentences = undecided.sentences();
  ASSERT_EQ(sentences.size(), 3u);
  EXPECT_EQ(sentences[0].find("roundings may turn 3 of 100"), 0u) << sentences[0];
  EXPECT_EQ(sentences[1].find("of whole numbers: roundings may turn 2 of 100"), 0u) << sentences[1];
  EXPECT_EQ(sentences[2].find("of smaller arguments: roundings may turn 1 of 100"), 0u) << sentences[2];
}

TEST(VerifyReport, ACheckOfNothingIsNotPassed) {
  VerifyReport report;
  EXPECT_FALSE(report.ok());
  report.plans.resize(2);
  report.arguments = {"in[1]"};
  EXPECT_TRUE(report.ok());
  report.unfit.resize(2);
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(report.nothing(), "there is no plan to call");
  report.unfit.clear();
  report.arguments.clear();
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(report.nothing(), "no arguments could be made up");
}

TEST(Trials, WhatIsNeverReadHoldsNoZero) {
  std::vector<Value> arguments;
  for (int i = 0; i < 2; ++i) arguments.push_back(Value::array(TANGRAM_I32, {3}));
  ast::Arena arena;
  const ast::Spectrum &free =
      *arena.make<ast::Spectrum>({}, std::string("f"), ast::Type(), std::vector<const ast::Param *>{},
                                 std::vector<const ast::Expr *>{}, std::vector<const ast::Codelet *>{});
  EXPECT_EQ(Trials(free, arguments, {false, false}, 1).count(), 1u);
  const Trials trials(free, arguments, {false, true}, 1);
  ASSERT_EQ(trials.count(), 2u); // and the arguments as they are
  EXPECT_EQ(trials.make(0).arguments[0].integer(1), 0);
  EXPECT_NE(trials.make(0).arguments[1].integer(1), 0);
  EXPECT_EQ(trials.make(1).arguments[1].integer(1), 0);
}

TEST(Suspects, ACodeletThatIsAlwaysWrong) {
  std::vector<Plan> plans{plan(select("a", "thread")), plan(select("kog", "thread")),
                          plan(select("c", "process", {distribute("process", "thread", select("kog", "thread"))})),
                          plan(select("c", "process", {distribute("process", "thread", select("a", "thread"))}))};
  std::vector<Suspect> found = suspects(plans, {false, true, true, false});
  EXPECT_EQ(named(found), std::vector<std::string>{"codelet kog of sum"});
  EXPECT_EQ(found[0].failing, 2u);
  EXPECT_EQ(found[0].passing, 0u);
  EXPECT_DOUBLE_EQ(found[0].score, 1);
}

TEST(Suspects, ACodeletThatIsWrongAtOneLevel) {
  std::vector<Plan> plans{plan(select("kog", "block")), plan(select("kog", "warp")),
                          plan(select("c", "grid", {distribute("grid", "block", select("kog", "block"))})),
                          plan(select("c", "grid", {distribute("grid", "block", select("a", "block"))}))};
  EXPECT_EQ(named(suspects(plans, {true, false, true, false})),
            std::vector<std::string>{"codelet kog of sum at block"});
}

TEST(Suspects, AnEdgeOfTheComposition) {
  auto two = [](const std::string &outer, const std::string &inner) {
    return plan(select(outer, "process", {distribute("process", "thread", select(inner, "thread"))}));
  };
  std::vector<Plan> plans{two("c", "a"), two("c", "kog"), two("d", "a"), two("d", "kog")};
  std::vector<std::string> names = named(suspects(plans, {false, false, false, true}));
  ASSERT_EQ(names.size(), 1u);
  EXPECT_EQ(names[0], "codelet d of sum at process -> codelet kog of sum at thread");
}

TEST(Suspects, AWayToRunAMap) {
  std::vector<Plan> plans{plan(select("c", "thread", {serialize("thread", select("a", "thread"))})),
                          plan(select("c", "thread", {distribute("thread", "lane", select("a", "lane"))})),
                          plan(select("a", "lane"))};
  // The codelet stands at both; only who distributes is peculiar.
  std::vector<std::string> names = named(suspects(plans, {false, true, false}));
  EXPECT_NE(std::find(names.begin(), names.end(), "distribute from thread to lane"), names.end());
}

TEST(Suspects, ACodeletThatIsNotAlwaysFound) {
  // kog is wrong, and one plan that has it passes all the same; the others have c or d by chance.
  auto two = [](const std::string &outer, const std::string &inner) {
    return plan(select(outer, "process", {distribute("process", "thread", select(inner, "thread"))}));
  };
  std::vector<Plan> plans{two("c", "kog"), two("d", "kog"), two("e", "kog"),
                          two("c", "a"),   two("d", "a"),   two("e", "a")};
  std::vector<Suspect> found = suspects(plans, {true, true, false, false, false, false});
  ASSERT_EQ(named(found), std::vector<std::string>{"codelet kog of sum"});
  EXPECT_EQ(found[0].failing, 2u);
  EXPECT_EQ(found[0].passing, 1u);
}

TEST(Suspects, NothingThatAllPlansHave) {
  std::vector<Plan> plans{plan(select("a", "thread")), plan(select("a", "thread"))};
  EXPECT_TRUE(suspects(plans, {false, true}).empty());
  EXPECT_TRUE(suspects(plans, {true, true}).empty());
  EXPECT_TRUE(suspects(plans, {false, false}).empty());
}

TEST(Suspects, OfCertainNodesOnly) {
  auto two = [](const std::string &outer, const std::string &inner) {
    return plan(select(outer, "process", {distribute("process", "thread", select(inner, "thread"))}));
  };
  std::vector<Plan> plans{two("c", "kog"), two("c", "a"), plan(select("kog", "thread"))};
  // All that fail have both; asked for the inner one, an edge tells it best.
  const PlanNode *inner = plans[0].root->children[0]->children[0].get();
  std::vector<Suspect> found = suspects(plans, {true, false, false}, plans[0], {inner});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].what, "codelet c of sum at process -> codelet kog of sum at thread");
  EXPECT_TRUE(hasPart(plans[0], found[0].what));
  EXPECT_FALSE(hasPart(plans[1], found[0].what));
}

// ---- how long calls will take --------------------------------------------------------------------------

TEST(Forecast, WhatGrowsWithTheElements) {
  Forecast f;
  for (int call = 0; call < 3; ++call) f.took(0.001, 1);
  f.took(0.011, 1000);
  EXPECT_FALSE(f.tooLong(10000, 0.25));
  EXPECT_TRUE(f.tooLong(1000000, 0.25));
}

TEST(Forecast, WhatEveryCallNeedsDoesNotGrow) { // memory of a device that others use too
  Forecast f;
  for (int call = 0; call < 3; ++call) f.took(0.06, 1);
  f.took(0.061, 1000);
  EXPECT_FALSE(f.tooLong(30000, 0.25));
}

TEST(Forecast, TheFirstCallLoadsTheCode) {
  Forecast f;
  f.took(3, 1);
  f.took(0.001, 31);
  EXPECT_FALSE(f.tooLong(1000, 0.25));
  f.took(0.002, 1000);
  EXPECT_FALSE(f.tooLong(30000, 0.25));
}

TEST(Forecast, APlanThatIsSlowForAnySizeIsGivenUp) {
  Forecast f;
  for (int call = 0; call < 5; ++call) f.took(0.6, 1);
  EXPECT_TRUE(f.tooLong(1, 0.25));
  Forecast slowest;
  slowest.took(20, 1);
  EXPECT_TRUE(slowest.tooLong(1, 0.25));
}

// ---- calling plans -------------------------------------------------------------------------------------

namespace {

/// int sum(const Array<1, int> in) and what plans may do wrong.
constexpr const char *kSource = R"(
#include <tangram/runtime/kernel_abi.h>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
static int total(const tangram_array *in) {
  int sum = 0;
  for (uint64_t i = 0; i < in->size[0]; ++i) sum += static_cast<const int *>(in->data)[i];
  return sum;
}
static bool broken = false; // what a stray write does to its process
template <int Wrong> int invoke(void *const *args, tangram_error *error) {
  if (broken && (Wrong == 0 || Wrong == 9)) abort();
  auto *in = static_cast<tangram_array *>(args[0]);
  int *result = static_cast<int *>(args[1]);
  *result = total(in) + (broken && Wrong == 10);
  if (Wrong == 11) {
    int *temporary = static_cast<int *>(aligned_alloc(64, 256));
    if (temporary[8] > 1000000) *result += 1; // never written
    free(temporary);
  }
  if (Wrong == 12) {
    int own[1024];
    asm volatile("" : "=m"(own)); // as if somebody had written it
    if (own[512] > 1000000) *result += 1;
  }
  if (in->size[0] == 77) for (;;) pause();
  if (in->size[0] != 31) return TANGRAM_OK;
  if (Wrong == 1) *result += 1;
  if (Wrong == 2) abort();
  if (Wrong == 3) for (;;) pause();
  if (Wrong == 4) static_cast<int *>(in->data)[31] = 0;
  if (Wrong == 5) static_cast<int *>(in->data)[0] += 1;
  if (Wrong == 6) _exit(0);
  if (Wrong == 8) broken = *result += 1;
  if (Wrong == 7) { std::strcpy(error->message, "no"); return error->status = TANGRAM_OUT_OF_MEMORY; }
  return TANGRAM_OK;
}
static const tangram_param params[] = {{"in", TANGRAM_I32, 1, TANGRAM_IN}, {"result", TANGRAM_I32, 0, TANGRAM_OUT}};
#define KERNEL(n) {sizeof(tangram_kernel), TANGRAM_KERNEL_ABI, "sum_" #n, "sum", "p" #n, "t", 2, params, invoke<n>}
static const tangram_kernel kernels[] = {KERNEL(0), KERNEL(1), KERNEL(2), KERNEL(3), KERNEL(4), KERNEL(5), KERNEL(6),
                                         KERNEL(7), KERNEL(8), KERNEL(9), KERNEL(10), KERNEL(11), KERNEL(12)};
// A reference as well, of integers alone.
extern "C" void tangram_reference_begin(uint64_t) {}
extern "C" uint64_t tangram_reference_end() { return 0; }
extern "C" bool tangram_reference_number(const void *, int, tangram_reference_element *) { return false; }
extern "C" const tangram_kernel *const *tangram_kernel_table(uint32_t *count) {
  static const tangram_kernel *list[13];
  for (int i = 0; i < 13; ++i) list[i] = &kernels[i];
  *count = 13;
  return list;
}
)";

/// What is above, compiled.
struct CallPlans : testing::Test {
  ast::Arena arena;
  const ast::Spectrum *spectrum = nullptr;
  const std::filesystem::path code =
      std::filesystem::temp_directory_path() / fmt::format("tangram-{}-plans.cpp", getpid());
  std::filesystem::path library = code;

  void SetUp() override {
    const ast::Param *in =
        arena.make<ast::Param>({}, std::string("in"), ast::Type::array(1, ast::Scalar::I32), ast::Access::In);
    spectrum = arena.make<ast::Spectrum>({}, std::string("sum"), ast::Type(ast::Scalar::I32),
                                         std::vector<const ast::Param *>{in}, std::vector<const ast::Expr *>{},
                                         std::vector<const ast::Codelet *>{});
    library.replace_extension(".so");
    std::ofstream(code) << kSource;
    ASSERT_EQ(std::system(fmt::format("c++ -std=c++20 -shared -fPIC -I'{}/core/include' '{}' -o '{}'",
                                      TANGRAM_SOURCE_DIR, code.string(), library.string())
                              .c_str()),
              0);
  }
  void TearDown() override {
    std::filesystem::remove(code);
    std::filesystem::remove(library);
  }
};

} // namespace

TEST_F(CallPlans, EveryKindOfFailureIsThatPlansOwn) {
  VerifyOptions options;
  options.sizes = {0, 1, 31, 100};
  options.randomSizes = 0;
  options.timeout = 2; // long enough for a loaded machine to answer
  options.slowest = 1;
  std::vector<std::string> skipped;
  std::vector<ArgumentSet> sets = makeArgumentSets(*spectrum, options, skipped);
  ASSERT_EQ(sets.size(), 8u); // four sizes, two kinds of data
  EXPECT_TRUE(skipped.empty());

  std::vector<BuiltPlan> plans;
  for (std::size_t i = 0; i < 11; ++i) plans.push_back({i, library, fmt::format("sum_{}", i)});
  std::map<std::size_t, std::vector<std::pair<std::size_t, std::string>>> failures;
  std::map<std::size_t, int> passes;
  BatchEvents events;
  events.failed = [&](std::size_t plan, std::size_t set, const PlanFailure &f) {
    failures[plan].emplace_back(set, f.reason);
  };
  events.passed = [&](std::size_t plan, std::size_t) { ++passes[plan]; };
  events.skipped = [&](std::size_t, const std::string &why) { ADD_FAILURE() << why; };
  callPlans(*spectrum, Baseline{library, {}, ""}, plans, sets, options, events);

  // What comes behind a plan that has broken its process is right for all that, the reference as well.
  for (std::size_t right : {0, 9, 10}) {
    EXPECT_EQ(passes[right], 8) << right;
    EXPECT_FALSE(failures.count(right)) << right << ": " << failures[right][0].second;
  }
  for (std::size_t wrong = 1; wrong < 9; ++wrong) {
    ASSERT_TRUE(failures.count(wrong)) << wrong;
    for (const auto &[set, reason] : failures[wrong])
      EXPECT_NE(sets[set].text.find("in[31]"), std::string::npos) << wrong << ": " << sets[set].text;
  }
  auto reason = [&](std::size_t wrong) { return failures[wrong][0].second; };
  EXPECT_NE(reason(1).find("result: got"), std::string::npos) << reason(1);
  EXPECT_NE(reason(2).find("crashed"), std::string::npos) << reason(2);
  EXPECT_NE(reason(3).find("did not come to an end"), std::string::npos) << reason(3);
  EXPECT_NE(reason(4).find("wrote outside of in"), std::string::npos) << reason(4);
  EXPECT_NE(reason(5).find("in[0]: got"), std::string::npos) << reason(5);
  EXPECT_NE(reason(6).find("ended the whole process"), std::string::npos) << reason(6);
  EXPECT_NE(reason(7).find("refused the call: no"), std::string::npos) << reason(7);
  // What takes the process with it is not called again; the others are.
  EXPECT_EQ(failures[1].size(), 2u);
  EXPECT_EQ(failures[8].size(), 2u);
  EXPECT_EQ(failures[2].size(), 1u);
}

// What lies in memory that is allocated, and on the stack, is not what was there before.
TEST_F(CallPlans, AnElementOfATemporaryThatNobodyWroteShows) {
#ifdef TANGRAM_SANITIZED
  GTEST_SKIP() << "the sanitizer's allocator fills nothing that mallopt asks for";
#endif
  VerifyOptions options;
  options.sizes = {1, 10};
  options.randomSizes = 0;
  std::vector<std::string> skipped;
  const std::vector<ArgumentSet> sets = makeArgumentSets(*spectrum, options, skipped);
  for (const char *kernel : {"sum_11", "sum_12"}) {
    std::size_t failures = 0;
    BatchEvents events;
    events.failed = [&](std::size_t, std::size_t, const PlanFailure &) { ++failures; };
    events.passed = [&](std::size_t, std::size_t set) { ADD_FAILURE() << kernel << ", set " << set; };
    callPlans(*spectrum, Baseline{library, {}, ""}, {{0, library, kernel}}, sets, options, events);
    EXPECT_EQ(failures, sets.size());
  }
}

// The plainest plan is waited for once; no larger arguments are tried.
TEST_F(CallPlans, WhatTakesThePlainestTooLongIsSkippedWithAllThatIsLarger) {
  VerifyOptions options;
  options.sizes = {1, 77, 100};
  options.randomSizes = 0;
  options.slowest = 0.5;
  std::vector<std::string> skipped;
  const std::vector<ArgumentSet> sets = makeArgumentSets(*spectrum, options, skipped);
  ASSERT_EQ(sets.size(), 6u);
  std::set<std::size_t> slow, left, passed;
  BatchEvents events;
  events.slow = [&](std::size_t set) { slow.insert(set); };
  events.skipped = [&](std::size_t set, const std::string &why) {
    EXPECT_EQ(why, "the plainest plan takes 0.5 s, or more");
    left.insert(set);
  };
  events.passed = [&](std::size_t, std::size_t set) { passed.insert(set); };
  events.failed = [](std::size_t, std::size_t, const PlanFailure &f) { ADD_FAILURE() << f.reason; };
  Baseline baseline{library, {}, ""};
  callPlans(*spectrum, baseline, {{0, library, "sum_0"}}, sets, options, events);
  EXPECT_EQ(passed, (std::set<std::size_t>{0, 1}));
  EXPECT_EQ(slow, (std::set<std::size_t>{2}));
  EXPECT_EQ(left, (std::set<std::size_t>{2, 3, 4, 5}));
  // What is known from before is not tried again.
  baseline.slow.push_back(sets[2].shape);
  slow.clear();
  callPlans(*spectrum, baseline, {{0, library, "sum_0"}}, sets, options, events);
  EXPECT_TRUE(slow.empty());
}

// A light reference has no bounds; where nothing differs there was nothing to round, but of a few numbers by chance.
TEST(LightOutcome, NothingWasRoundedWhereManyNumbersSaySo) {
  const auto outcome = [](std::uint64_t n, double bound) {
    Reference::Outcome made;
    std::vector<runtime::Expected::Number> numbers(n);
    numbers.back().bound = bound;
    made.expected.emplace_back(runtime::Value::array(TANGRAM_F32, {n}),
                               std::vector<std::vector<runtime::Expected::Number>>(1, numbers));
    return made;
  };
  EXPECT_TRUE(outcome(64, 0).isExact());
  EXPECT_FALSE(outcome(63, 0).isExact());
  EXPECT_FALSE(outcome(64, 1e-30).isExact());
  Reference::Outcome undecided = outcome(64, 0);
  undecided.undecided.questions = 1;
  EXPECT_FALSE(undecided.isExact());
  Reference::Outcome refused = outcome(64, 0);
  refused.result.status = TANGRAM_FAILED;
  EXPECT_FALSE(refused.isExact());
}

struct LightReference : testing::Test {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / // a library of its own for each test: none is loaded twice from one path
      fmt::format("tangram-light-{}-{}", testing::UnitTest::GetInstance()->current_test_info()->name(), getpid());
  LightReference() { std::filesystem::create_directories(folder); }
  ~LightReference() override { std::filesystem::remove_all(folder); }

  Reference of(const std::string &spectrum, const std::string &source) const {
    std::ofstream(folder / (spectrum + ".tg.cpp")) << source;
    SessionOptions options;
    options.pluginFolders = {TANGRAM_BINARY_DIR "/lib/tangram/plugins"};
    Session session(options);
    session.open({folder / (spectrum + ".tg.cpp")}, std::string(TANGRAM_SOURCE_DIR "/hw/cpu-simple.yaml"));
    return Reference(buildReference(session, spectrum, folder, ReferenceKind::Light).library, ReferenceKind::Light);
  }
};

// There are no bounds: one for all, of what the plainest order rounds by. Whole numbers must be met.
TEST_F(LightReference, KnowsRoundingsFromMistakes) {
  const Reference light = of("blur", R"(#include <tangram/tangram.h>
__spectrum void blur(const Array<1, float> in, float a, Array<1, float> out) __requires(in.size() == out.size());
__codelet void blur(const Array<1, float> in, float a, Array<1, float> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    float sum = 0;
    for (size_t k = 0; k < 9 && k <= i; ++k) sum += a * in[i - k];
    out[i] = sum;
  }
}
)");
  for (bool whole : {false, true}) {
    ArgumentContext context;
    context.whole = whole;
    std::vector<Value> arguments;
    arguments.push_back(makeValue(parseArgumentSpec("random:1000"), "in", TANGRAM_F32, 1, 1, context));
    arguments.push_back(makeValue(parseArgumentSpec(whole ? "3" : "0.3"), "a", TANGRAM_F32, 0, 1));
    arguments.push_back(makeValue(parseArgumentSpec("zeros:1000"), "out", TANGRAM_F32, 1, 1));
    const Reference::Outcome right = light.call(arguments);
    ASSERT_TRUE(right.result.ok()) << right.result.message;
    Value out = arguments[2].copy();
    for (std::size_t i = 0; i < out.count(); ++i) { // the other way round
      float sum = 0;
      for (std::size_t k = std::min<std::size_t>(8, i) + 1; k-- > 0;)
        sum += static_cast<float>(arguments[1].real(0)) * static_cast<float>(arguments[0].real(i - k));
      out.setReal(i, sum);
    }
    EXPECT_FALSE(compare(out, right.expected[2])) << whole;
    out.setReal(500, out.real(500) + (whole ? 1 : 1e-3));
    EXPECT_TRUE(compare(out, right.expected[2])) << whole;
  }
}

// 1 / 3 * 3 is rounded to 1, but need not be where it is subtracted from 1: nothing is known of what is divided by
// that.
TEST_F(LightReference, LosesWhatRoundingsMadeInfinite) {
  const Reference light = of("quotient", R"(#include <tangram/tangram.h>
__spectrum void quotient(const Array<1, float> in, float one, Array<1, float> out) __requires(in.size() == out.size());
__codelet void quotient(const Array<1, float> in, float one, Array<1, float> out) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = one + one / (one / (one - one / in[i] * in[i]));
}
)");
  std::vector<Value> arguments;
  arguments.push_back(makeValue(parseArgumentSpec("2,3"), "in", TANGRAM_F32, 1, 1));
  arguments.push_back(makeValue(parseArgumentSpec("1"), "one", TANGRAM_F32, 0, 1));
  arguments.push_back(makeValue(parseArgumentSpec("zeros:2"), "out", TANGRAM_F32, 1, 1));
  const Reference::Outcome right = light.call(arguments);
  ASSERT_TRUE(right.result.ok()) << right.result.message;
  Value out = arguments[2].copy();
  out.setReal(0, 1); // a half is exact, and so is what is infinite for it
  out.setReal(1, 0.5);
  const auto difference = compare(out, right.expected[2]);
  EXPECT_FALSE(difference) << difference->position << ": " << difference->got << ", not " << difference->expected;
  out.setReal(0, 0.5);
  EXPECT_TRUE(compare(out, right.expected[2]));
}
