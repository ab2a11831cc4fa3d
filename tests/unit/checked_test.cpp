// Checked code: what generated code keeps and says of the first error, and what becomes of a pipeline.
#include "tangram/pass/Checked.h"
#include "tangram/plugin/Registry.h"
#include "tangram/runtime/vec/checked.h"
#include "tangram/verify/OutOfRange.h"

#include <gtest/gtest.h>
#include <thread>

using namespace tangram;

namespace {

using Words = std::uint32_t[tangram_checked::kWords];

template <std::size_t N = 256> std::string reported(const Words &record, const char *text, int expected) {
  char message[N] = {'?'}; // Clang 19 gives a literal the size of the first instance
  const char *sites[] = {"the first", text};
  EXPECT_EQ(tangram_checked::report(message, record, sites), expected);
  return message;
}

TEST(Checked, WhatIsInRangeLeavesTheRecordEmpty) {
  Words record = {};
  EXPECT_TRUE(tangram_checked::in_range(record, 0, 1, 2));
  EXPECT_TRUE(tangram_checked::in_range(record, 6, 7, 2));
  EXPECT_FALSE(tangram_checked::faulted(record));
  EXPECT_EQ(reported(record, "", TANGRAM_OK), "?");
}

TEST(Checked, TheFirstErrorIsKept) {
  Words record = {};
  EXPECT_FALSE(tangram_checked::in_range(record, 7, 7, 2));
  EXPECT_FALSE(tangram_checked::in_range(record, 1, 0, 1));
  EXPECT_TRUE(tangram_checked::faulted(record));
  EXPECT_EQ(reported(record, "{index} of {bound}, to {last}: {else}", TANGRAM_OUT_OF_RANGE), "7 of 7, to 6: {else}");
}

TEST(Checked, ANegativeIndexIsSaidAsOne) {
  Words record = {};
  EXPECT_FALSE(tangram_checked::in_range(record, static_cast<std::uint64_t>(-3), 1ull << 40, 2));
  EXPECT_EQ(reported(record, "{index} of {bound}", TANGRAM_OUT_OF_RANGE), "-3 of 1099511627776");
}

TEST(Checked, AMessageIsCutToItsPlace) {
  Words record = {};
  tangram_checked::in_range(record, 123456, 1, 2);
  EXPECT_EQ(reported<8>(record, "at {index}!", TANGRAM_OUT_OF_RANGE), "at 1234");
}

TEST(Checked, OneOfManyThreadsIsKeptWhole) {
  for (int round = 0; round < 50; ++round) {
    Words record = {};
    std::vector<std::thread> threads;
    for (std::uint64_t i = 1; i <= 4; ++i)
      threads.emplace_back(
          [&record, i] { tangram_checked::in_range(record, i << 33 | i, i, static_cast<std::uint32_t>(i)); });
    for (std::thread &t : threads) t.join();
    std::uint64_t site = record[tangram_checked::kSite];
    ASSERT_GE(site, 1u);
    EXPECT_EQ(tangram_checked::wide(record + tangram_checked::kIndexLow), site << 33 | site);
    EXPECT_EQ(tangram_checked::wide(record + tangram_checked::kBoundLow), site);
  }
}

TEST(Checked, LanesThatAreLeftOutAreNotAsked) {
  Words record = {};
  auto index = tangram::lane_index<std::uint64_t, 8>();
  auto bound = tangram::vec<std::uint64_t, 8>(5);
  auto first = tangram::vec<bool, 8>::from_bits(0b00011111);
  EXPECT_TRUE(tangram::all(tangram_checked::in_range(record, index, bound, 2, first) == first));
  EXPECT_FALSE(tangram_checked::faulted(record));
  auto fits = tangram_checked::in_range(record, index, bound, 2);
  EXPECT_TRUE(tangram::all(fits == first));
  EXPECT_EQ(reported(record, "{index} of {bound}", TANGRAM_OUT_OF_RANGE), "5 of 5");
}

// ---- errors ----------------------------------------------------------------------------------------------

Diagnostic outOfRange(const std::string &message) {
  try {
    runtime::failOutOfRange(message);
  } catch (const DiagnosticError &e) {
    return e.diagnostic;
  }
}

TEST(Checked, TheMessageOfAnEntryIsAnErrorAtItsPlace) {
  Diagnostic d = outOfRange("dir/a:b.tg.cpp:31:14: codelet 'a(b)' of program 'p' reads element 4 of 'x': all");
  EXPECT_EQ(d.cls, DiagnosticClass::User);
  ASSERT_TRUE(d.range.valid());
  EXPECT_EQ(*d.range.file, "dir/a:b.tg.cpp");
  EXPECT_EQ(d.range.line, 31u);
  EXPECT_EQ(d.range.column, 14u);
  EXPECT_EQ(d.message, "codelet 'a(b)' of program 'p' reads element 4 of 'x': all");
}

TEST(Checked, AMessageWithoutAPlaceIsAnErrorAllTheSame) {
  for (const char *message : {"program 'p' reads", "a: b", "a:b:c: d", ":1: x", ""}) {
    Diagnostic d = outOfRange(message);
    EXPECT_FALSE(d.range.valid()) << message;
    EXPECT_EQ(d.message, message);
  }
}

// ---- pipelines -------------------------------------------------------------------------------------------

struct CheckedPipeline : testing::Test {
  Registry registry;
  hardware::Target target;

  void pass(const std::string &name, PassKind kind, std::vector<std::string> establishes, bool option) {
    PassDescriptor d;
    d.name = name;
    d.summary = "for a test";
    d.kind = kind;
    d.establishes = std::move(establishes);
    if (option) d.options = {{"checked", "A test's.", false, {}, {}, {}}};
    d.create = [](const OptionValues &) { return nullptr; };
    registry.passes.add(d);
    target.pipeline.passes.push_back({name, {}, {}});
  }
  std::string names() const {
    std::string text;
    for (const hardware::Step &s : target.pipeline.passes)
      text += s.name + (s.options.has("checked") && s.options.flag("checked") ? "! " : " ");
    return text;
  }
};

TEST_F(CheckedPipeline, OptimizersForSpeedAloneAreLeftOut) {
  pass("one", PassKind::Preparer, {"flat"}, true);
  pass("fast", PassKind::Optimizer, {}, false);
  pass("needed", PassKind::Optimizer, {"placed"}, false);
  pass("checks", PassKind::Preparer, {"checked"}, true);
  pass("last", PassKind::Preparer, {}, false);
  makeChecked(target, registry);
  EXPECT_EQ(names(), "one! needed checks! last ");
}

TEST_F(CheckedPipeline, WithoutAPassThatChecksIsAnError) {
  pass("one", PassKind::Preparer, {"flat"}, true);
  pass("checks", PassKind::Preparer, {"checked"}, true);
  target.pipeline.passes.pop_back();
  target.name = "mine";
  try {
    makeChecked(target, registry);
    FAIL() << "nothing is checked, and nobody says so";
  } catch (const DiagnosticError &e) {
    EXPECT_EQ(e.diagnostic.message, "--checked: no pass of target 'mine' makes checks");
    EXPECT_NE(e.diagnostic.advice.find("'checks'"), std::string::npos) << e.diagnostic.advice;
  }
}

} // namespace
