// Each part of a call's time, on machines of round numbers.
#include "Machine.h"

#include <gtest/gtest.h>

namespace tangram::model {
namespace {

using hardware::SyncKind;

/// 10 multiprocessors at 1 GHz that keep 1024 threads each, in warps of 32.
hardware::Hardware device() {
  hardware::Hardware result;
  hardware::Level grid, block, warp, thread;
  grid.name = "grid", block.name = "block", warp.name = "warp", thread.name = "thread";
  grid.subordinate = "block", grid.sync = SyncKind::Relaunch, grid.wait = 5e-6;
  grid.memories = {{"global", std::uint64_t{1} << 36, 128, 0, 0, 1e12, 500, {}},
                   {"l2", std::uint64_t{1} << 22, 128, 0, 0, 4e12, 200, {}}};
  block.subordinate = "warp", block.sync = SyncKind::Barrier, block.wait = 1e-8, block.workers.count = 40;
  block.cores = {.count = 10,
                 .clock = 1e9,
                 .issue = 100,
                 .issueDouble = 50,
                 .issueDivision = 10,
                 .issueFunction = 10,
                 .issueAccess = 20,
                 .issueAlone = 0.5,
                 .depth = 4,
                 .loads = 2,
                 .transfer = 1000,
                 .units = 16,
                 .workers = 1024};
  block.memories = {{"scratchpad", 1 << 16, 0, 32, 16, 0, 0, {}}, {"l1", 1 << 16, 128, 0, 0, 1e13, 30, {}}};
  warp.subordinate = "thread", warp.sync = SyncKind::Warp, warp.workers.count = 8;
  thread.scalar = true, thread.workers.count = 32;
  result.name = "device", result.levels = {grid, block, warp, thread};
  return result;
}

/// Two cores at 1 GHz with vectors of 8 lanes.
hardware::Hardware processor() {
  hardware::Hardware result;
  hardware::Level process, thread, lane;
  process.name = "process", thread.name = "thread", lane.name = "lane";
  process.subordinate = "thread", process.sync = SyncKind::Join;
  process.memories = {{"memory", std::uint64_t{1} << 36, 64, 0, 0, 1e12, 100, {}},
                      {"l3", 1 << 24, 64, 0, 0, 1e13, 50, {}}};
  thread.subordinate = "lane", thread.sync = SyncKind::LockStep, thread.scalar = true, thread.workers.count = 2;
  thread.cores = {.clock = 1e9, .issue = 16, .issueAccess = 16, .issueAlone = 2, .depth = 4, .loads = 10};
  lane.scalar = true, lane.workers.count = 8;
  result.name = "processor", result.levels = {process, thread, lane};
  return result;
}

/// As many threads as the device keeps.
constexpr double kAll = 10240;

Accesses loads(double count, Stride acrossLanes, Stride perIteration = Stride::Constant) {
  Accesses result;
  result.bytes = 4, result.loads = count, result.together = 32;
  result.acrossLanes = acrossLanes, result.perIteration = perIteration;
  return result;
}

CodeletWork operations(double count) {
  CodeletWork result;
  result.operations = count;
  result.branches = HUGE_VAL; // each may wait for the one before
  return result;
}

TEST(Machine, NeighboursShareALineOthersLoadOneEach) {
  const hardware::Hardware gpu = device();
  const Machine machine(gpu);
  const Crowd all{.units = kAll};
  auto memory = [&](const Accesses &access) { return machine.parts({}, {access}, all).memory; };
  const double together = memory(loads(100, Stride::Unit));
  EXPECT_DOUBLE_EQ(together, 100 * 4 * kAll / 1e12);
  Accesses near = loads(100, Stride::Constant);
  near.distance = 256;
  EXPECT_DOUBLE_EQ(memory(near), 8 * together); // sectors of 32 bytes
  near.distance = 8;
  EXPECT_DOUBLE_EQ(memory(near), 2 * together);
  Accesses fields = loads(3, Stride::Constant); // of a record of 12 bytes
  fields.distance = 12;
  EXPECT_DOUBLE_EQ(memory(fields), 3 * together / 100);
  EXPECT_DOUBLE_EQ(memory(loads(100, Stride::Constant)), 16 * together); // of pages of their own
  EXPECT_DOUBLE_EQ(memory(loads(100, Stride::Zero)), together / 4);      // one sector a warp
}

TEST(Machine, WhatLanesWalkThroughByThemselvesStaysWhereLinesHaveRoom) {
  const hardware::Hardware gpu = device();
  const Machine machine(gpu);
  auto each = [&](double units, Stride perIteration) {
    return machine.parts({}, {loads(100, Stride::Constant, perIteration)}, {.units = units}).memory / units;
  };
  EXPECT_LT(each(1000, Stride::Unit), each(1000, Stride::Constant) / 2); // 100 lines of 128 bytes a core
  EXPECT_DOUBLE_EQ(each(20 * kAll, Stride::Unit), each(20 * kAll, Stride::Constant));
  Accesses staged = loads(100, Stride::Constant, Stride::Unit);
  staged.staged = true, staged.row = 128;
  CodeletWork work;
  work.turns = 100;
  EXPECT_DOUBLE_EQ(machine.parts(work, {staged}, {.units = kAll}).memory,
                   machine.parts({}, {loads(100, Stride::Unit)}, {.units = kAll}).memory);
}

TEST(Machine, ACoreByItselfHasAPartOfTheBandwidth) {
  hardware::Hardware gpu = device();
  gpu.levels[1].cores.transfer = 10; // bytes at 1 GHz: 1e10 a second, of 1e12
  const double bytes = 100 * 4;
  EXPECT_DOUBLE_EQ(Machine(gpu).parts({}, {loads(100, Stride::Unit)}, {.units = kAll}).memory, bytes * kAll / 1e11);
  const Crowd one{.units = 32, .groups = 1, .group = 32};
  EXPECT_DOUBLE_EQ(Machine(gpu).parts({}, {loads(100, Stride::Unit)}, one).memory, bytes * 32 / 1e10);
}

TEST(Machine, WhatUnitsComeBackToStaysWhereAllOfItHasRoom) {
  const hardware::Hardware gpu = device(); // 64 KiB and 4 MiB, of which half counts
  const Machine machine(gpu);
  const Crowd groups{.units = 1000, .groups = 1000, .group = 256}; // four a core are under way
  EXPECT_EQ(machine.underWay(groups), 40);
  EXPECT_EQ(machine.keeps(8 << 10, groups), Served::InnerCache);
  EXPECT_EQ(machine.keeps(9 << 10, groups), Served::OuterCache);
  EXPECT_EQ(machine.keeps(64 << 10, groups), Served::Memory);
  const Crowd warps{.units = 8000, .groups = 1000, .group = 256};
  EXPECT_EQ(machine.underWay(warps), 320);
  EXPECT_EQ(machine.keeps(1 << 10, warps), Served::InnerCache);
  EXPECT_EQ(machine.keeps(8 << 10, warps), Served::Memory);
  // What launches share is never in a core's own cache.
  EXPECT_EQ(machine.keeps(1 << 10, {}), Served::OuterCache);
  EXPECT_EQ(machine.keeps(1 << 22, {}), Served::Memory);
}

TEST(Machine, WhatIsTouchedAgainComesFromACache) {
  const hardware::Hardware gpu = device();
  const Machine machine(gpu);
  Accesses access = loads(1000, Stride::Unit);
  const double apart = machine.parts({}, {access}, {.units = 320}).memory;
  access.footprint = 32;
  EXPECT_LT(machine.parts({}, {access}, {.units = 320}).memory, apart / 5);
  access.footprint = HUGE_VAL, access.served = Served::OuterCache;
  EXPECT_DOUBLE_EQ(machine.parts({}, {access}, {.units = 320}).memory, apart / 4);
}

TEST(Machine, AProcessorGoesOnInALineThatIsWiderThanItsVectors) {
  const hardware::Hardware cpu = processor();
  const Machine machine(cpu);
  auto memory = [&](double together) {
    Accesses access = loads(1000, Stride::Unit);
    access.together = together;
    return machine.parts({}, {access}, {.units = 16}).memory;
  };
  EXPECT_DOUBLE_EQ(memory(8), memory(16)); // half a line at a time, or all of it
  EXPECT_GT(memory(4), memory(8));         // less than what is loaded at least
}

TEST(Machine, OperationsAtTheRateOfAllCores) {
  const hardware::Hardware gpu = device();
  const Machine machine(gpu);
  auto issue = [&](const CodeletWork &work, const Crowd &crowd) { return machine.parts(work, {}, crowd).issue; };
  const double alone = 1000 / 0.5 / 1e9; // what the last of them waits for
  EXPECT_DOUBLE_EQ(issue(operations(1000), {.units = kAll}), 1000 * kAll / 10 / 100 / 1e9 + alone);
  EXPECT_DOUBLE_EQ(issue(operations(1000), {.units = 2 * kAll}), 2 * issue(operations(1000), {.units = kAll}));
  // Lanes beside it do nothing, and cannot do anything else.
  EXPECT_DOUBLE_EQ(issue(operations(1000), {.units = kAll / 32, .idle = 32}), issue(operations(1000), {.units = kAll}));
  EXPECT_NEAR(issue(operations(1000), {.units = 1}), alone, alone / 100);
  CodeletWork straight = operations(1000);
  straight.branches = 0;
  EXPECT_NEAR(issue(straight, {.units = 1}), alone / 2, alone / 100);
  CodeletWork wide = operations(1000);
  wide.wide = 1000;
  EXPECT_DOUBLE_EQ(issue(wide, {.units = kAll}), 2 * issue(operations(1000), {.units = kAll}));
  CodeletWork divisions;
  divisions.divisions = 100;
  EXPECT_DOUBLE_EQ(issue(divisions, {.units = kAll}), issue(operations(1000), {.units = kAll}));
}

TEST(Machine, AProcessorForeseesBranches) {
  CodeletWork work = operations(1000);
  const hardware::Hardware cpu = processor(), gpu = device();
  auto issue = [&](const hardware::Hardware &of, const Crowd &crowd) {
    const double before = Machine(of).parts(operations(1000), {}, crowd).issue;
    return Machine(of).parts(work, {}, crowd).issue - before;
  };
  work.mispredictions = 100;
  EXPECT_NEAR(issue(cpu, {.units = 2, .idle = 8}), 100 * 18 / 1e9, 1e-12); // each core by itself
  EXPECT_EQ(issue(cpu, {.units = 2, .workers = 8}), 0);                    // vectors have masks
  EXPECT_EQ(issue(gpu, {.units = 2, .idle = 32}), 0);
}

TEST(Machine, UnitsMultiplyMatricesAtARateOfTheirOwn) {
  hardware::Hardware gpu = device();
  gpu.levels[2].matrices.push_back({.m = 16, .n = 8, .k = 8, .rate = 200});
  CodeletWork work;
  work.matrix = 2000, work.branches = 1;
  const Machine machine(gpu);
  const double all = 2000 * kAll / 10 / 200 / 1e9, alone = 1000 / 1.0 / 1e9; // what the last of them waits for
  EXPECT_DOUBLE_EQ(machine.parts(work, {}, {.units = kAll}).issue, std::hypot(all, alone));
}

TEST(Machine, OperationsThatWaitForNoneFillACoreTogether) {
  const hardware::Hardware gpu = device();
  CodeletWork straight = operations(1000);
  straight.branches = 0;
  const double all = 1000 * kAll / 10 / 100 / 1e9, alone = 1000 / 1e9;
  EXPECT_DOUBLE_EQ(Machine(gpu).parts(straight, {}, {.units = kAll}).issue, std::hypot(all, alone));
}

TEST(Machine, AGroupByItselfWaitsAndWorksOneAfterTheOther) {
  hardware::Hardware gpu = device();
  CodeletWork work = operations(1000);
  work.exchanges = 100;
  auto parts = [&](double registers) {
    return Machine(gpu).parts(work, {},
                              {.units = kAll, .groups = 40, .group = 256, .registers = registers, .wait = 1e-7});
  };
  const Parts one = parts(128), several = parts(32);
  EXPECT_NEAR(one.total(), one.issue + 4 * 100 * 1e-7, 0.2 * one.total()); // four rounds of 100 barriers
  EXPECT_LT(several.latency, 1.2 * 100 * 1e-7);
}

TEST(Machine, LoadsThatAreUnderWayAreNotWaitedFor) {
  const hardware::Hardware gpu = device();
  Accesses access = loads(1000, Stride::Unit);
  const double waits = Machine(gpu).parts({}, {access}, {.units = 320}).latency;
  access.ahead = 0.5; // fewer than a worker keeps under way by itself
  EXPECT_DOUBLE_EQ(Machine(gpu).parts({}, {access}, {.units = 320}).latency, waits);
  access.ahead = 7.0 / 8;
  EXPECT_NEAR(Machine(gpu).parts({}, {access}, {.units = 320}).latency, waits / 4, waits / 100);
}

TEST(Machine, LanesHaveChunksOfNeighbouringIterations) {
  hardware::Hardware gpu = device();
  gpu.levels[1].cores.registers = 65536;
  const Machine machine(gpu);
  EXPECT_EQ(machine.chunks(16, 4, 0, 256), std::pair(4.0, 5.0)); // one round more, of single iterations
  EXPECT_EQ(machine.chunks(16, 8, 0, 256).first, 2);
  EXPECT_EQ(machine.chunks(16, 1, 0, 256).first, 4);
  EXPECT_EQ(machine.chunks(16, 16, 0, 256).first, 1);
  EXPECT_EQ(machine.chunks(1, 4, 0, 256).first, 1); // too few
  // With a loop in an iteration, as registers leave room, and where lanes come less often to one.
  EXPECT_EQ(machine.chunks(16, 4, 20, 256).first, 4);
  EXPECT_EQ(machine.chunks(16, 4, 40, 256).first, 2);
  EXPECT_EQ(machine.chunks(16, 4, 20, 1024).first, 1);
  EXPECT_EQ(machine.chunks(2, 4, 20, 256).first, 1);
  EXPECT_EQ(Machine(processor()).chunks(16, 4, 0, 256).first, 1);
  // Neighbours are loaded together, by way of one address, and waited for once.
  CodeletWork work = operations(1000);
  const Parts single = machine.parts(work, {loads(200, Stride::Unit)}, {.units = kAll});
  const Parts chunks = machine.parts(work, {loads(200, Stride::Unit)}, {.units = kAll, .chunk = 4, .rounds = 0.25});
  EXPECT_NEAR(single.issue - chunks.issue,
              (single.issue - machine.parts(operations(850), {loads(50, Stride::Unit)}, {.units = kAll}).issue), 1e-12);
  EXPECT_LT(chunks.latency, single.latency);
}

TEST(Machine, TurnsThatWaitForTheirOwnLoads) {
  hardware::Hardware gpu = device();
  const auto latency = [&](double contention, double ahead) {
    gpu.levels[1].cores.contention = contention;
    CodeletWork work = operations(100);
    work.turns = 100;
    Accesses access = loads(100, Stride::Unit, Stride::Constant);
    access.ahead = ahead;
    return Machine(gpu).parts(work, {access}, {.units = kAll}).latency;
  };
  EXPECT_GT(latency(4, 0), 1.9 * latency(2, 0));
  EXPECT_DOUBLE_EQ(latency(4, 0.5), latency(2, 0.5)); // what is under way is there by then
}

TEST(Machine, LanesKeepInRegistersWhatTheyExchange) {
  const hardware::Hardware gpu = device();
  CodeletWork work = operations(100);
  work.operations += 60, work.shared = 60, work.ownOfLane = 40, work.exchanged = 20;
  const double scratchpad = Machine(gpu).parts(work, {}, {.units = kAll, .exchanges = false}).issue;
  const double registers = Machine(gpu).parts(work, {}, {.units = kAll, .exchanges = true}).issue;
  EXPECT_LT(registers, scratchpad / 2);
  work.ownOfLane = 60, work.exchanged = 0;
  EXPECT_DOUBLE_EQ(Machine(gpu).parts(work, {}, {.units = kAll, .exchanges = true}).issue,
                   Machine(gpu).parts(operations(100), {}, {.units = kAll}).issue);
}

TEST(Machine, GroupsInDifferentPhasesFillEachOthersWaits) {
  const hardware::Hardware gpu = device();
  CodeletWork work = operations(1000);
  work.exchanges = 20;
  auto total = [&](bool phases, double registers) {
    return Machine(gpu)
        .parts(work, {loads(1000, Stride::Unit)},
               {.units = kAll, .groups = 40, .group = 256, .registers = registers, .wait = 1e-7, .phases = phases})
        .total();
  };
  EXPECT_LT(total(true, 32), total(false, 32));
  EXPECT_DOUBLE_EQ(total(true, 128), total(false, 128)); // where there is room for one group there is no other
}

TEST(Machine, GroupsAreDealtToCoresOneByOne) {
  const hardware::Hardware gpu = device(); // 10 cores
  EXPECT_DOUBLE_EQ(Machine(gpu).imbalance(5), 1);
  EXPECT_DOUBLE_EQ(Machine(gpu).imbalance(11), 2); // 8 stand for them
  EXPECT_DOUBLE_EQ(Machine(gpu).imbalance(32), 4 / 3.2);
  EXPECT_NEAR(Machine(gpu).imbalance(1500), 150 / 204.8, 0.1); // 2048 do
  EXPECT_DOUBLE_EQ(Machine(processor()).imbalance(11), 1);
}

TEST(Machine, ManyUnrolledIterationsDoNotFitRegisters) {
  const hardware::Hardware gpu = device();
  const Machine machine(gpu);
  CodeletWork work = operations(1000);
  work.values = 60;
  auto each = [&](double iterations) {
    return machine.parts(work, {}, {.units = kAll * iterations, .iterations = iterations}).issue / iterations;
  };
  EXPECT_DOUBLE_EQ(each(1), each(2));
  EXPECT_GT(each(8), 1.5 * each(2));
}

TEST(Machine, WorkersOfALargeGroupHaveFewRegisters) {
  const hardware::Hardware gpu = device(); // 32 for each of 1024 workers
  const Machine machine(gpu);
  CodeletWork work = operations(1000);
  work.values = 60;
  auto issue = [&](double group) {
    return machine.parts(work, {}, {.units = kAll, .groups = kAll / group, .group = group}).issue;
  };
  EXPECT_GT(issue(1024), 1.2 * issue(256));
}

TEST(Machine, EnginesAndScratchpadMemoryWorkBesideLanes) {
  const hardware::Hardware gpu = device();
  const Machine machine(gpu);
  auto issue = [&](double computes, double shared, double matrix) {
    CodeletWork work = operations(computes);
    work.shared = shared, work.matrix = matrix;
    return machine.parts(work, {}, {.units = kAll}).issue;
  };
  EXPECT_LT(issue(1000, 200, 0), 0.8 * (issue(1000, 0, 0) + issue(0, 200, 0)));
  EXPECT_LT(issue(1000, 0, 1000), 0.8 * (issue(1000, 0, 0) + issue(0, 0, 1000)));
}

TEST(Machine, WhatIsCopiedWhileLittleIsDoneIsWaitedFor) {
  const hardware::Hardware gpu = device();
  const Machine machine(gpu);
  auto issue = [&](double computes, double panels) {
    CodeletWork work = operations(computes);
    work.awaits = 10, work.panelsAhead = 10 * panels;
    return machine.parts(work, {}, {.units = kAll, .groups = kAll / 256, .group = 256}).issue;
  };
  CodeletWork work = operations(200);
  const double alone = machine.parts(work, {}, {.units = kAll, .groups = kAll / 256, .group = 256}).issue;
  // 20 operations a panel, by 1024 workers of a core: some 200 ns, where a load takes 500 and more.
  EXPECT_GT(issue(200, 0.5), 2 * alone);
  EXPECT_GT(issue(200, 0.5), issue(200, 1.5));
  EXPECT_DOUBLE_EQ(issue(200, 20), alone);
}

TEST(Machine, AGroupRunsOnOneCore) {
  const hardware::Hardware gpu = device();
  const Machine machine(gpu);
  auto issue = [&](double groups) {
    return machine.parts(operations(1000), {}, {.units = 4 * 1024, .groups = groups, .group = 4 * 1024 / groups}).issue;
  };
  EXPECT_GT(issue(4), 1.3 * issue(32)); // 4 of 10 cores
  EXPECT_EQ(machine.cores({.units = 4 * 1024, .groups = 4}), 4);
}

TEST(Machine, WithoutAWordOnCoresTheUnitsOfTheSecondLevelAreThem) {
  hardware::Hardware gpu = device();
  EXPECT_TRUE(Machine(gpu).areGroups("block"));
  gpu.levels[1].cores = {};
  EXPECT_TRUE(Machine(gpu).areGroups("block"));
  EXPECT_FALSE(Machine(gpu).areGroups("thread"));
  EXPECT_EQ(Machine(gpu).cores({.units = 1e6}), 40);
}

TEST(Machine, ACoreKeepsAsManyGroupsAsHaveRoom) {
  const hardware::Hardware gpu = device();
  const Machine machine(gpu);
  EXPECT_EQ(machine.resident({}), 1024);
  EXPECT_EQ(machine.resident({.group = 32}), 512); // 16 groups
  EXPECT_EQ(machine.resident({.group = 256, .registers = 32}), 1024);
  EXPECT_EQ(machine.resident({.group = 256, .registers = 40}), 768);
  EXPECT_EQ(machine.resident({.group = 1024, .registers = 40}), 1024); // one, however large
  EXPECT_EQ(machine.resident({.group = 256, .scratchpad = 20 * 1024}), 768);
  // Fewer loads are under way.
  auto waits = [&](double registers) {
    return machine.parts({}, {loads(1000, Stride::Unit)}, {.units = kAll, .group = 256, .registers = registers})
        .latency;
  };
  EXPECT_GT(waits(40), 1.3 * waits(32));
}

TEST(Machine, WorkersOfAGroupThatDoNothingTakeUpRoom) {
  const hardware::Hardware gpu = device();
  const Machine machine(gpu);
  auto waits = [&](double units) {
    const Crowd crowd{.units = units, .groups = 4000, .group = 256};
    return machine.parts({}, {loads(1000, Stride::Unit)}, crowd).latency / (units / crowd.groups);
  };
  EXPECT_NEAR(waits(4000 * 32), 8 * waits(4000 * 256), waits(4000 * 32) / 10); // one warp of eight
}

TEST(Machine, TilesHaveRowsThatFit) {
  const hardware::Hardware gpu = device(), cpu = processor();
  const Machine machine(gpu);
  EXPECT_EQ(machine.stagedRow(1, 256), 128);
  EXPECT_EQ(machine.stagedRow(2, 256), 64);
  EXPECT_EQ(machine.stagedRow(2, 1024), 0);
  EXPECT_EQ(Machine(cpu).stagedRow(1, 8), 0);
}

TEST(Machine, WhatDependsOnWhatCameBeforeWaits) {
  const hardware::Hardware gpu = device();
  const Machine machine(gpu);
  CodeletWork chain = operations(1);
  chain.turns = chain.dependent = 1000;
  EXPECT_DOUBLE_EQ(machine.parts(chain, {}, {.units = 1}).latency, 1000 * 4 / 1e9);
  EXPECT_DOUBLE_EQ(machine.parts(chain, {}, {.units = kAll}).latency, 1000 * 4 / 1e9); // all at a time
  EXPECT_DOUBLE_EQ(machine.parts(chain, {}, {.units = 2 * kAll}).latency, 2000 * 4 / 1e9);
  // Two loads of each thread are under way at a time.
  const double waits = machine.parts({}, {loads(1000, Stride::Unit)}, {.units = kAll}).latency;
  EXPECT_NEAR(waits, 1000 * 500e-9 / 2, 1e-6);
  CodeletWork exchanges;
  exchanges.exchanges = 10;
  EXPECT_DOUBLE_EQ(machine.parts(exchanges, {}, {.units = 1, .workers = 256, .wait = 1e-8}).latency, 1e-7);
}

TEST(Machine, OneElementIsChangedByOneAtATime) {
  const hardware::Hardware gpu = device();
  const Machine machine(gpu);
  Accesses one = loads(0, Stride::Zero), many = loads(0, Stride::Irregular);
  one.atomics = many.atomics = 1;
  many.elements = 1e6;
  const double each = machine.parts({}, {one}, {.units = kAll}).atomics / kAll;
  EXPECT_GT(each, 0.5e-9);
  EXPECT_LT(machine.parts({}, {many}, {.units = kAll}).atomics / kAll, each / 10);
}

TEST(Machine, ACoreFetchesSoManyLinesAtATime) {
  const hardware::Hardware cpu = processor();
  const Machine machine(cpu);
  Accesses walk = loads(1e6, Stride::Zero, Stride::Unit);
  walk.alone = true;
  const Parts one = machine.parts({}, {walk}, {.units = 1, .idle = 8});
  EXPECT_NEAR(one.memory, 4e6 / 64 * 100e-9 / 10, 1e-6);
  const Parts two = machine.parts({}, {walk}, {.units = 2, .idle = 8}); // each as much
  EXPECT_DOUBLE_EQ(two.memory, one.memory);
}

TEST(Machine, LanesInRowsOfTheirOwnWaitForLines) {
  const hardware::Hardware cpu = processor();
  const Machine machine(cpu);
  auto memory = [&](double bytes) { // of 16 lanes, each with 100 elements of a row of its own
    Accesses rows = loads(100, Stride::Constant, Stride::Unit);
    rows.distance = 400, rows.footprint = bytes;
    return machine.parts({}, {rows}, {.units = 16}).memory;
  };
  Accesses together = loads(100, Stride::Unit);
  EXPECT_GT(memory(400), 3 * machine.parts({}, {together}, {.units = 16}).memory);
  EXPECT_GT(memory(400), 3 * memory(64)); // one line each: all at a time
}

TEST(Machine, WhatIsFoundAgainIsMovedOnce) {
  const hardware::Hardware cpu = processor();
  const Machine machine(cpu);
  Accesses access = loads(1000, Stride::Unit);
  const double once = machine.parts({}, {access}, {.units = 16}).memory;
  access.again = 4;
  EXPECT_DOUBLE_EQ(machine.parts({}, {access}, {.units = 16}).memory, once / 4);
}

TEST(Machine, LinesAreLoadedBeforeTheyAreStoredTo) {
  const hardware::Hardware cpu = processor();
  const Machine machine(cpu);
  auto memory = [&](double loads, double stores) {
    Accesses access;
    access.bytes = 4, access.loads = loads, access.stores = stores, access.together = 8;
    access.acrossLanes = access.perIteration = Stride::Unit;
    return machine.parts({}, {access}, {.units = 16}).memory;
  };
  EXPECT_DOUBLE_EQ(memory(0, 1000), 2 * memory(1000, 0));
  EXPECT_DOUBLE_EQ(memory(1000, 1000), memory(0, 1000)); // it is there
}

TEST(Machine, VectorsThatRegistersDoNotHoldAreStoredAndLoaded) {
  const hardware::Hardware cpu = processor(); // 16 registers
  const Machine machine(cpu);
  CodeletWork work = operations(1000);
  work.values = 100; // of scalars, too, which have registers of their own
  auto issue = [&](double elements) {
    work.arrays = work.fractions = elements;
    return machine.parts(work, {}, {.units = 16}).issue;
  };
  EXPECT_DOUBLE_EQ(issue(4), issue(12));
  EXPECT_GT(issue(16), 3 * issue(12)); // an array is in registers as a whole
}

TEST(Machine, AProcessorMovesArraysBetweenRegisters) {
  const hardware::Hardware cpu = processor(), gpu = device();
  CodeletWork work = operations(1000), moved = work;
  moved.registerStores = 1000;
  const Crowd all{.units = 16};
  EXPECT_DOUBLE_EQ(Machine(cpu).parts(moved, {}, all).issue, 2 * Machine(cpu).parts(work, {}, all).issue);
  EXPECT_DOUBLE_EQ(Machine(gpu).parts(moved, {}, all).issue, Machine(gpu).parts(work, {}, all).issue);
}

TEST(Machine, AddressesCostNothingAndLanesScatterOneByOne) {
  const hardware::Hardware cpu = processor();
  const Machine machine(cpu);
  CodeletWork work = operations(1000); // an address for each access
  work.shared = 1000;
  auto issue = [&](const Crowd &crowd) { return machine.parts(work, {}, crowd).issue; };
  EXPECT_NEAR(issue({.units = 16}), 1000 / 16. * 16 / 2 / 1e9, 1e-12);
  const double beside = issue({.units = 16});
  work.sharedApart = 1000;
  EXPECT_GT(issue({.units = 16}), 16 * beside);
}

TEST(Machine, WhatIsStagedIsWaitedFor) {
  const hardware::Hardware cpu = processor();
  const Machine machine(cpu);
  CodeletWork work = operations(4000);
  const Accesses access = loads(1000, Stride::Unit);
  const Parts apart = machine.parts(work, {access}, {.units = 16});
  EXPECT_DOUBLE_EQ(apart.total(), std::hypot(apart.issue, apart.memory));
  work.fills = 1;
  const Parts staged = machine.parts(work, {access}, {.units = 16});
  EXPECT_DOUBLE_EQ(staged.total(), staged.issue + staged.memory);
  // Others work meanwhile on a device.
  EXPECT_FALSE(Machine(device()).parts(work, {access}, {.units = kAll}).apart);
}

TEST(Machine, LanesOfAProcessorGatherOneByOne) {
  const hardware::Hardware cpu = processor();
  const Machine machine(cpu);
  const Crowd lanes{.units = 16};
  EXPECT_GT(machine.parts({}, {loads(1000, Stride::Constant)}, lanes).issue,
            8 * machine.parts({}, {loads(1000, Stride::Unit)}, lanes).issue);
  // A loop that the host's compiler divides among lanes takes as long as lanes that share it.
  const double vector = machine.parts(operations(8000), {}, {.units = 2, .idle = 8, .vector = 8}).issue;
  EXPECT_DOUBLE_EQ(vector, machine.parts(operations(1000), {}, {.units = 2, .workers = 8}).issue);
}

TEST(Machine, WaitingIsAsTheTargetSaysOrAsUsual) {
  const hardware::Hardware gpu = device(), cpu = processor();
  EXPECT_EQ(Machine(gpu).wait(gpu.levels[0]), 5e-6);
  EXPECT_GT(Machine(gpu).wait(gpu.levels[2]), 0);
  EXPECT_GT(Machine(cpu).wait(cpu.levels[0]), 1e-7);
  EXPECT_EQ(Machine(cpu).wait(cpu.levels[1]), 0); // lanes go in lock step by themselves
  EXPECT_TRUE(Machine(gpu).inLockStep("thread"));
  EXPECT_FALSE(Machine(gpu).inLockStep("warp"));
  EXPECT_EQ(Machine(gpu).lanes(), 32);
}

} // namespace
} // namespace tangram::model
