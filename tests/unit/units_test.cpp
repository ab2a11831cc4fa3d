// How many units of a level a launch has: which levels a rule starts, what the machine allows, choices in the forest.
#include "SumProgram.h"

#include "tangram/hardware/Units.h"

#include <random>
#include <set>

namespace tangram {
namespace {

using namespace test;

/// A grid of blocks of two warps of four threads; plans may ask for one or four warps.
hardware::Hardware threeLevels() {
  hardware::Hardware gpu{"three",
                         {level("grid", "G", false, false, "block", 1, hardware::Tiling::Adjacent, "relaunch"),
                          level("block", "B", false, true, "warp", 8, hardware::Tiling::Adjacent, "barrier"),
                          level("warp", "W", false, true, "thread", 2, hardware::Tiling::Strided, "warp"),
                          level("thread", "T", true, false, "", 4)}};
  gpu.levels[1].maxLanes = 16;
  gpu.levels[2].workers.max = 8;
  gpu.levels[2].workers.choices = {1, 4, 8};
  return gpu;
}

TEST(Units, WhatWaitsForEachOtherStartsTogether) {
  hardware::Hardware gpu = threeLevels();
  auto started = [&](std::size_t level) {
    std::vector<std::string> names;
    for (const hardware::Level *l : hardware::startedFrom(gpu, gpu.levels[level])) names.push_back(l->name);
    return names;
  };
  EXPECT_EQ(started(0), (std::vector<std::string>{"block", "warp", "thread"}));
  EXPECT_TRUE(started(1).empty());
  EXPECT_TRUE(started(2).empty());
  EXPECT_TRUE(started(3).empty());
}

TEST(Units, WhatTheMachineDoesNotAllowIsSaid) {
  hardware::Hardware gpu = threeLevels();
  gpu.levels[3].workers.multipleOf = 4;
  EXPECT_EQ(hardware::refusal(gpu, {{"warp", 4}}), "");
  EXPECT_EQ(hardware::refusal(gpu, {{"warp", 8}}), "a unit of level 'block' would have 32 lanes, more than 16");
  EXPECT_EQ(hardware::refusal(gpu, {{"warp", 9}}), "9 units of level 'warp' are more than the 8 that there can be");
  EXPECT_EQ(hardware::refusal(gpu, {{"warp", 0}}), "0 units of level 'warp' are not a multiple of 1");
  EXPECT_EQ(hardware::refusal(gpu, {{"thread", 5}}), "5 units of level 'thread' are not a multiple of 4");
  EXPECT_EQ(hardware::refusal(gpu, {{"lane", 4}}), "there is no level 'lane'");
}

TEST(Units, ChoicesThatFitAreAlternatives) {
  Program program(sumProgram(), threeLevels());
  Forest forest = program.forest(5);
  std::set<std::map<std::string, std::int64_t>> asked;
  for (GoalId id = 0; id < forest.size(); ++id)
    for (const Alternative &a : forest.point(id).alternatives)
      if (a.rule == Rule::Distribute && a.to == "block") asked.insert(a.parameters);
  EXPECT_EQ(asked, (std::set<std::map<std::string, std::int64_t>>{{}, {{"warp", 1}}, {{"warp", 4}}}));
  // What is below is composed for so many: a block with one warp is divided into one part.
  for (GoalId id = 0; id < forest.size(); ++id)
    for (const Alternative &a : forest.point(id).alternatives)
      if (a.rule == Rule::Distribute && a.to == "block" && !forest.point(id).plain) {
        const std::int64_t warps = a.parameters.count("warp") ? a.parameters.at("warp") : 2;
        for (std::size_t rule : rulesAt(forest.point(a.children[0]))) {
          const Alternative &below = forest.point(a.children[0]).alternatives[rule];
          if (below.parameters.count("p")) {
            EXPECT_EQ(below.parameters.at("p"), warps);
          }
        }
      }
  std::mt19937_64 random(1);
  for (int i = 0; i < 100; ++i) {
    Plan plan = forest.sample(random);
    DiagnosticEngine diags;
    checkPlan(plan, *program.module, program.hardware, program.facts, diags);
    EXPECT_EQ(parsePlan(print(plan), "t.plan", program.arena), plan) << print(plan);
  }
}

TEST(Units, PlansThatAskForWhatCannotBeAreRefused) {
  Program program(sumProgram(), threeLevels());
  auto message = [&](const std::string &units, const std::string &below = "") {
    Plan plan = parsePlan("plan sum for three\nselect c at grid with p=8\n  distribute to block with " + units +
                              "\n    select c at block with p=2\n      distribute to warp" + below +
                              "\n        devolve to thread\n          select a at thread\n      devolve to warp\n"
                              "        devolve to thread\n          select a at thread\n"
                              "  devolve to block\n    devolve to warp\n      devolve to thread\n"
                              "        select a at thread\n",
                          "t.plan", program.arena);
    return thrown([&] { checkPlan(plan, *program.module, program.hardware, program.facts, program.diags); });
  };
  Diagnostic many = message("warp=8");
  EXPECT_EQ(many.id, "plan.units");
  EXPECT_EQ(many.cls, DiagnosticClass::User);
  EXPECT_EQ(many.message,
            "the plan asks for what 'three' cannot be: a unit of level 'block' would have 32 lanes, more than 16");
  EXPECT_EQ(message("lane=8").message,
            "the plan asks for what 'three' cannot be: units of 'lane' do not start where work goes from 'grid'");
  EXPECT_EQ(message("warp=4", " with thread=2").message,
            "the plan asks for what 'three' cannot be: units of 'thread' do not start where work goes from 'block'");
}

} // namespace
} // namespace tangram
