// Target files: those that ship, everything that can be wrong with one, extending, printing, pipelines.
#include "TempFolder.h"

#include "tangram/compose/Heuristic.h"
#include "tangram/hardware/DeviceSizes.h"
#include "tangram/hardware/Target.h"
#include "tangram/pass/Property.h"
#include "tangram/plugin/Loader.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <unistd.h>

using namespace tangram;
using namespace tangram::hardware;
namespace fs = std::filesystem;

namespace {

const fs::path kHw = TANGRAM_SOURCE_DIR "/hw";

const std::string kPipeline = "pipeline: {frontend: f, analyses: [], heuristic: h}\n";

/// Levels, one a line from line 2 on, and a pipeline.
std::string target(const std::string &levels) { return "levels:\n" + levels + kPipeline; }

Target parse(const std::string &yaml) {
  ast::Arena arena; // not needed by what these tests look at
  return parseTarget(yaml, "test.yaml", arena);
}

struct Failure {
  std::string id, message, advice, file;
  unsigned line = 0, column = 0;
  std::vector<std::string> notes;
};

template <class F> Failure failureOf(F &&f) {
  try {
    f();
  } catch (const DiagnosticError &error) {
    const Diagnostic &d = error.diagnostic;
    EXPECT_EQ(d.cls, DiagnosticClass::User) << d.message;
    EXPECT_NE(d.advice, "") << d.message;
    Failure failure{d.id, d.message, d.advice, d.range.file ? *d.range.file : "", d.range.line, d.range.column, {}};
    for (const Note &note : d.notes) failure.notes.push_back(note.message);
    return failure;
  }
  ADD_FAILURE() << "no error";
  return {};
}

Failure failure(const std::string &yaml) {
  ast::Arena arena; // outlives the diagnostic's file name
  return failureOf([&] { parseTarget(yaml, "test.yaml", arena); });
}

using test::TempFolder;

std::string readFile(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// ---- what ships ----------------------------------------------------------------------------------------

TEST(Targets, AreFoundByName) {
  std::vector<std::string> names;
  for (const TargetInfo &info : listTargets()) {
    names.push_back(info.name);
    EXPECT_NE(info.summary, "");
  }
  for (const char *name : {"cpu-openmp", "cpu-simple", "gpu", "gpu-simple"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

TEST(Targets, SimpleCpuIsFigure52a) {
  ast::Arena arena;
  Target target = loadTarget("cpu-simple", arena);
  ASSERT_EQ(target.hardware.levelNames(), (std::vector<std::string>{"process", "thread"}));
  const Level &process = target.hardware.top(), &thread = target.hardware.levels[1];
  EXPECT_EQ(process.symbol, "P");
  EXPECT_FALSE(process.computes());
  EXPECT_EQ(process.sync, hardware::SyncKind::Join);
  EXPECT_EQ(thread.symbol, "T");
  EXPECT_TRUE(thread.scalar);
  EXPECT_FALSE(thread.vector);
  EXPECT_FALSE(thread.distributes());
  EXPECT_TRUE(thread.workers.automatic);
  EXPECT_EQ(target.depth, 3u);
  EXPECT_EQ(target.hardware.below(process), &thread);
  EXPECT_EQ(target.hardware.below(thread), nullptr);
}

TEST(Targets, SimpleGpuIsFigure52b) {
  ast::Arena arena;
  Target target = loadTarget("gpu-simple", arena);
  ASSERT_EQ(target.hardware.levelNames(), (std::vector<std::string>{"grid", "block", "thread"}));
  const Level &grid = target.hardware.levels[0], &block = target.hardware.levels[1],
              &thread = target.hardware.levels[2];
  EXPECT_FALSE(grid.computes());
  EXPECT_TRUE(block.vector && !block.scalar);
  EXPECT_TRUE(thread.scalar && !thread.vector);
  EXPECT_EQ(grid.tiling, Tiling::Adjacent);
  EXPECT_EQ(block.tiling, Tiling::Strided);
  // Figure 5.7 reduces the blocks' results in a block: more of them than it has threads.
  EXPECT_GT(block.workers.count, target.hardware.lanes(block));
  EXPECT_TRUE(target.pipeline.backend.name.empty());
}

TEST(Targets, ModernOnesHaveFourAndFiveLevels) {
  ast::Arena arena;
  Target cpu = loadTarget("cpu-openmp", arena);
  EXPECT_EQ(cpu.hardware.levelNames(), (std::vector<std::string>{"process", "thread", "lane", "ilp"}));
  EXPECT_EQ(cpu.depth, 8u);
  EXPECT_EQ(cpu.hardware.lanes(*cpu.hardware.find("thread")), cpu.hardware.find("lane")->workers.count);
  EXPECT_EQ(cpu.hardware.find("lane")->sync, hardware::SyncKind::CloseLoop);
  Target gpu = loadTarget("gpu", arena);
  EXPECT_EQ(gpu.hardware.levelNames(), (std::vector<std::string>{"grid", "block", "warp", "thread", "ilp"}));
  // A block's lanes are its threads, through the warps.
  EXPECT_EQ(gpu.hardware.lanes(*gpu.hardware.find("block")), 256u);
  EXPECT_EQ(gpu.hardware.lanes(*gpu.hardware.find("warp")), 32u);
  EXPECT_EQ(gpu.hardware.find("nothing"), nullptr);
}

TEST(Targets, PrintedOnesParseBackToTheSame) {
  ast::Arena arena;
  std::vector<std::string> texts;
  for (const char *name : {"cpu-openmp", "cpu-simple", "gpu", "gpu-simple", "nvidia-h200", "nvidia-a100", "nvidia-k20c",
                           "nvidia-c2050", "nvidia-h200-ptx", "ptx", "cuda", "opencl-cpu", "opencl-gpu"})
    texts.push_back(printTarget(loadTarget(name, arena)));
  texts.push_back(printTarget(parse(R"(
summary: "with: \"quotes\", 'others', # and a hash\nand a line"
depth: 9
order: preserve
determinism: device
levels:
  - {name: a, symbol: "1", below: b, sync: barrier, wait: 2.5e-06, max-lanes: 99, shuffle: true, memory: [{name: m, bytes: 3 KiB, line: 64, bandwidth: 3, latency: 1.5e-7, atomics: [64, 8]}, {name: n, atomics: []}]}
  - {name: b, capabilities: [matrix, scalar], workers: {auto: 12, multiple-of: 4, max: 32}, cores: {count: 132, clock: 1.98e9, issue: 128, depth: 4.5, workers: 2048, registers: 65536}, tiling: any}
pipeline:
  frontend: {f: {flag: true, number: 3, real: 3.0, text: "3", other: "true", list: ["1", "x: y"], empty: [], none: ""}}
  analyses: [x, {y: {"odd key:": -1}}, {name: z, option: 1.0e+300}]
  heuristic: h
  passes: []
  backend: {b: {flags: ["-O3", "-march=native"]}}
)")));
  for (const std::string &text : texts) EXPECT_EQ(printTarget(parse(text)), text);

  Target odd = parse(texts.back());
  EXPECT_EQ(odd.summary, "with: \"quotes\", 'others', # and a hash\nand a line");
  const OptionValues &options = odd.pipeline.frontend.options;
  EXPECT_TRUE(options.flag("flag"));
  EXPECT_EQ(options.integer("number"), 3);
  EXPECT_EQ(options.real("real"), 3.0);
  EXPECT_EQ(options.text("text"), "3");
  EXPECT_EQ(options.text("other"), "true");
  EXPECT_EQ(options.texts("list"), (std::vector<std::string>{"1", "x: y"}));
  EXPECT_TRUE(options.texts("empty").empty());
  EXPECT_EQ(options.text("none"), "");
  EXPECT_EQ(odd.pipeline.analyses[1].options.integer("odd key:"), -1);
  EXPECT_EQ(odd.pipeline.analyses[2].options.real("option"), 1e300);
  EXPECT_EQ(odd.hardware.levels[0].memories[0].bytes, 3072u);
  EXPECT_EQ(odd.hardware.levels[1].workers.count, 12u);
  EXPECT_EQ(odd.promise("order"), "preserve");
  EXPECT_EQ(odd.promise("determinism"), "device");
  EXPECT_EQ(parse(texts.front()).promise("order"), "");
}

TEST(Targets, SingleDevicesSayTheirNumbers) {
  ast::Arena arena;
  Target h200 = loadTarget("nvidia-h200", arena), fermi = loadTarget("nvidia-c2050", arena),
         ptx = loadTarget("nvidia-h200-ptx", arena);
  EXPECT_EQ(h200.hardware.find("block")->workers.count, 8u * 132);
  EXPECT_EQ(h200.hardware.find("block")->maxLanes, 1024u);
  EXPECT_TRUE(h200.hardware.find("warp")->shuffle);
  EXPECT_EQ(h200.pipeline.backend.options.text("arch"), "sm_90");
  EXPECT_FALSE(fermi.hardware.find("warp")->shuffle);
  EXPECT_EQ(fermi.hardware.find("thread")->memories.at(0).bytes, 252u);
  EXPECT_EQ(fermi.pipeline.backend.options.text("arch"), "sm_20");
  EXPECT_EQ(ptx.pipeline.backend.name, "ptx");
  EXPECT_EQ(ptx.hardware.find("block")->memories.at(0).bytes, 227u * 1024);
  EXPECT_EQ(ptx.hardware.find("block")->memories.at(0).banks, 32u);
  EXPECT_EQ(ptx.hardware.find("block")->memories.at(0).copies, 16u);
}

TEST(Targets, AreFittedToADevice) {
  ast::Arena arena;
  Target target = loadTarget("cuda", arena);
  DeviceSizes sizes;
  sizes.units = 10;
  sizes.groupWorkers = 128;
  sizes.groups = 70;
  sizes.subgroupWorkers = 32;
  sizes.shuffle = false;
  sizes.memories["scratchpad"].bytes = 16384;
  sizes.memories["global"].atomics = std::vector<std::uint64_t>{32};
  fit(target.hardware, sizes);
  const Level &block = *target.hardware.find("block"), &warp = *target.hardware.find("warp");
  EXPECT_EQ(block.workers.count, 70u); // 8 for each unit, and no more than there can be
  EXPECT_EQ(block.workers.max, 70u);
  EXPECT_EQ(block.maxLanes, 128u);
  EXPECT_EQ(block.memories.at(0).bytes, 16384u);
  EXPECT_EQ(warp.workers.count, 4u); // though 8 are written: a group cannot have as many
  EXPECT_FALSE(warp.shuffle);
  EXPECT_EQ(target.hardware.find("thread")->workers.count, 32u);
  EXPECT_EQ(target.hardware.find("grid")->memories.at(0).atomics, std::vector<std::uint64_t>{32});
  parseTarget(printTarget(target), "fitted.yaml", arena);

  Target groups = loadTarget("opencl-gpu", arena); // without warps
  sizes.groupWorkers = 100;
  fit(groups.hardware, sizes);
  EXPECT_EQ(groups.hardware.find("thread")->workers.count, 96u);
  Target cpu = loadTarget("cpu-simple", arena), before = cpu; // not of that kind
  fit(cpu.hardware, sizes);
  EXPECT_EQ(printTarget(cpu), printTarget(before));
}

// ---- reading -------------------------------------------------------------------------------------------

TEST(TargetFile, OrderOfLevelsIsFromTheOutsideInWhateverTheFileSays) {
  Target t = parse(target("  - {name: lane, capabilities: [scalar]}\n"
                          "  - {name: core, below: lane, sync: none}\n"
                          "  - {name: chip, below: core, sync: join}\n"));
  EXPECT_EQ(t.hardware.levelNames(), (std::vector<std::string>{"chip", "core", "lane"}));
  // Two begin with a C: the second's symbol is longer.
  EXPECT_EQ(t.hardware.levels[0].symbol, "C");
  EXPECT_EQ(t.hardware.levels[1].symbol, "Co");
  EXPECT_EQ(t.depth, 5u);
}

TEST(TargetFile, Workers) {
  auto workers = [](const std::string &written) {
    return parse(target("  - {name: a, below: b, sync: join}\n  - {name: b, capabilities: [scalar], workers: " +
                        written + "}\n"))
        .hardware.levels[1]
        .workers;
  };
  EXPECT_EQ(workers("7").count, 7u);
  EXPECT_FALSE(workers("7").automatic);
  EXPECT_TRUE(workers("auto").automatic);
  EXPECT_EQ(workers("auto").count, 1u);
  EXPECT_EQ(workers("{auto: 2}").count, 2u);
  EXPECT_TRUE(workers("{auto: 2}").automatic);
  EXPECT_TRUE(workers("{count: auto}").automatic);
  EXPECT_EQ(workers("{count: auto, multiple-of: 32}").count, 32u);
  EXPECT_EQ(workers("{count: 64, multiple-of: 32, max: 1024}").max, 1024u);
}

struct Bad {
  const char *what;
  std::string yaml;
  const char *id;
  unsigned line, column;
  const char *says; // in the message or the advice
};
void PrintTo(const Bad &bad, std::ostream *out) { *out << bad.what; }

class BadTarget : public testing::TestWithParam<Bad> {};

TEST_P(BadTarget, IsALocatedError) {
  const Bad &bad = GetParam();
  Failure got = failure(bad.yaml);
  EXPECT_EQ(got.id, bad.id) << got.message;
  EXPECT_EQ(got.file, "test.yaml");
  EXPECT_EQ(got.line, bad.line) << got.message;
  EXPECT_EQ(got.column, bad.column) << got.message;
  EXPECT_NE((got.message + " | " + got.advice).find(bad.says), std::string::npos) << got.message << " | " << got.advice;
}

const std::string kThread = "  - {name: t, capabilities: [scalar]}\n";

INSTANTIATE_TEST_SUITE_P(
    All, BadTarget,
    testing::Values(
        // not a target at all
        Bad{"empty", "", "target.empty", 1, 1, "empty"}, Bad{"blank", "  \n\n", "target.empty", 1, 1, "empty"},
        Bad{"comment", "# nothing\n", "target.empty", 1, 1, "empty"}, Bad{"null", "~", "target.empty", 1, 1, "empty"},
        Bad{"malformed", "levels: [\n", "target.malformed", 2, 1, "not valid YAML"},
        Bad{"tab", "levels:\n\t- name: x\n", "target.tab", 2, 2, "indent with blanks"},
        Bad{"list", "- a\n- b\n", "target.wrong-type", 1, 1, "a list"},
        Bad{"scalar", "hello\n", "target.wrong-type", 1, 1, "the text 'hello'"},
        Bad{"two_documents", "summary: a\n---\nsummary: b\n", "target.documents", 2, 1, "second YAML document"},
        Bad{"stray_comma", "# a target\n  , multiple\n", "target.malformed", 2, 3, "belongs to nothing"},
        Bad{"stray_bracket", "summary: x\n] y\n", "target.malformed", 2, 1, "not valid YAML"},
        Bad{"binary", std::string("levels:\n \0", 10), "target.not-text", 2, 2, "control character"},
        Bad{"latin1", "summary: gr\xfc\xdf\n", "target.not-text", 1, 12, "UTF-8"},
        Bad{"alias_of_nothing", "levels: *none\n", "target.malformed", 1, 9, "not valid YAML"},
        Bad{"deep", "levels: " + std::string(3000, '[') + std::string(3000, ']'), "target.too-deep", 1, 6009, "nested"},
        // keys and types
        Bad{"unknown_key", target(kThread) + "level: 3\n", "target.unknown-key", 4, 1, "'levels'"},
        Bad{"unknown_level_key", target("  - {name: t, capability: [scalar]}\n"), "target.unknown-key", 2, 15,
            "'capabilities'"},
        Bad{"unknown_memory_key", target("  - {name: t, capabilities: [scalar], memory: [{name: m, size: 3}]}\n"),
            "target.unknown-key", 2, 58, "bytes"},
        Bad{"duplicate_key", target(kThread) + "levels: []\n", "target.duplicate-key", 4, 1, "'levels' twice"},
        Bad{"merge_key", "a: &a {x: 1}\n<<: *a\n", "target.unknown-key", 1, 1, "'a'"},
        Bad{"key_is_list", "? [a, b]\n: 3\n", "target.wrong-type", 1, 3, "a list"},
        Bad{"levels_text", "levels: many\n", "target.wrong-type", 1, 9, "the text 'many'"},
        Bad{"level_text", target("  - thread\n"), "target.wrong-type", 2, 5, "the text 'thread'"},
        Bad{"no_name", target("  - {capabilities: [scalar]}\n"), "target.no-name", 2, 5, "no name"},
        Bad{"bad_name", target("  - {name: My Thread}\n"), "target.bad-name", 2, 12, "My Thread"},
        Bad{"capability", target("  - {name: t, capabilities: [scaler]}\n"), "target.unknown-word", 2, 30, "'scalar'"},
        Bad{"capability_twice", target("  - {name: t, capabilities: [scalar, scalar]}\n"), "target.twice", 2, 38,
            "'scalar' is given twice"},
        Bad{"capability_text", target("  - {name: t, capabilities: scalar}\n"), "target.wrong-type", 2, 29, "a list"},
        Bad{"sync", target("  - {name: p, below: t, sync: bariere}\n" + kThread), "target.unknown-word", 2, 31,
            "'barrier'"},
        Bad{"tiling", target("  - {name: t, capabilities: [scalar], tiling: diagonal}\n"), "target.unknown-word", 2, 47,
            "adjacent"},
        Bad{"symbol", target("  - {name: t, capabilities: [scalar], symbol: 'T T'}\n"), "target.bad-symbol", 2, 47,
            "such as T"},
        Bad{"depth_text", "depth: deep\n" + target(kThread), "target.wrong-type", 1, 8, "an integer"},
        Bad{"depth_large", "depth: 1000\n" + target(kThread), "target.out-of-range", 1, 8, "from 0 to 64"},
        Bad{"depth_negative", "depth: -1\n" + target(kThread), "target.out-of-range", 1, 8, "from 0 to 64"},
        Bad{"depth_quoted", "depth: \"3\"\n" + target(kThread), "target.wrong-type", 1, 8, "an integer"},
        Bad{"bytes", target("  - {name: t, capabilities: [scalar], memory: [{name: m, bytes: 48 KB}]}\n"),
            "target.wrong-type", 2, 65, "48 KiB"},
        Bad{"bytes_overflow",
            target("  - {name: t, capabilities: [scalar], memory: [{name: m, bytes: 99999999999 GiB}]}\n"),
            "target.out-of-range", 2, 65, "2^64"},
        Bad{"bandwidth", target("  - {name: t, capabilities: [scalar], memory: [{name: m, bandwidth: .inf}]}\n"),
            "target.wrong-type", 2, 69, "a number"},
        Bad{"latency", target("  - {name: t, capabilities: [scalar], memory: [{name: m, latency: -3}]}\n"),
            "target.out-of-range", 2, 67, "at least 0"},
        // levels
        Bad{"no_levels_key", kPipeline, "target.missing", 1, 1, "'levels'"},
        Bad{"no_levels", "levels: []\n" + kPipeline, "target.no-levels", 1, 9, "empty"},
        Bad{"unknown_below",
            target("  - {name: p, below: thred, sync: join}\n  - {name: thread, capabilities: [scalar]}\n"),
            "target.unknown-level", 2, 22, "'thread'"},
        Bad{"cycle",
            target("  - {name: a, below: b, sync: join}\n  - {name: b, below: c, sync: join}\n  - {name: c, below: a, "
                   "sync: join}\n"),
            "target.cycle", 2, 22, "a -> b -> c -> a"},
        Bad{"cycle_behind",
            target("  - {name: a, below: b, sync: join}\n  - {name: b, below: c, sync: join}\n  - {name: c, below: b, "
                   "sync: join}\n"),
            "target.cycle", 3, 22, "b -> c -> b"},
        Bad{"below_itself", target("  - {name: a, below: a, sync: join, capabilities: [scalar]}\n"), "target.cycle", 2,
            22, "a -> a"},
        Bad{"unreached",
            target("  - {name: p, below: t, sync: join}\n" + kThread + "  - {name: x, capabilities: [vector]}\n"),
            "target.unreached", 4, 12, "nothing reaches level 'x'"},
        Bad{"two_above", target("  - {name: p, below: t, sync: join}\n  - {name: q, below: t, sync: join}\n" + kThread),
            "target.two-above", 3, 22, "below both 'p' and 'q'"},
        Bad{"useless", target("  - {name: p, below: t, sync: join}\n  - {name: t}\n"), "target.useless-level", 3, 12,
            "no capability and nothing below"},
        Bad{"useless_empty", target("  - {name: t, capabilities: []}\n"), "target.useless-level", 2, 12,
            "no capability"},
        Bad{"two_levels", target(kThread + kThread), "target.twice", 3, 12, "level 't' is given twice"},
        Bad{"no_sync", target("  - {name: p, below: t}\n" + kThread), "target.no-sync", 2, 12, "close-loop"},
        Bad{"sync_of_nothing", target("  - {name: t, capabilities: [scalar], sync: barrier}\n"),
            "target.sync-of-nothing", 2, 45, "nothing below"},
        Bad{"same_symbol",
            target(
                "  - {name: p, below: t, sync: join, symbol: T}\n  - {name: t, capabilities: [scalar], symbol: T}\n"),
            "target.same-symbol", 3, 47, "symbol 'T'"},
        // numbers
        Bad{"workers_zero",
            target("  - {name: p, below: t, sync: join}\n  - {name: t, capabilities: [scalar], workers: 0}\n"),
            "target.out-of-range", 3, 48, "from 1"},
        Bad{"workers_huge",
            target("  - {name: p, below: t, sync: join}\n  - {name: t, capabilities: [scalar], workers: "
                   "99999999999999999999999}\n"),
            "target.out-of-range", 3, 48, "2147483647"},
        Bad{"workers_text",
            target("  - {name: p, below: t, sync: join}\n  - {name: t, capabilities: [scalar], workers: all}\n"),
            "target.wrong-type", 3, 48, "an integer"},
        Bad{"workers_list",
            target("  - {name: p, below: t, sync: join}\n  - {name: t, capabilities: [scalar], workers: [1]}\n"),
            "target.wrong-type", 3, 48, "'auto'"},
        Bad{"workers_both",
            target(
                "  - {name: p, below: t, sync: join}\n  - {name: t, capabilities: [scalar], workers: {count: 1, auto: "
                "2}}\n"),
            "target.both-counts", 3, 65, "both"},
        Bad{"workers_above_max",
            target(
                "  - {name: p, below: t, sync: join}\n  - {name: t, capabilities: [scalar], workers: {count: 9, max: "
                "8}}\n"),
            "target.above-max", 3, 56, "more than its 'max' of 8"},
        Bad{"workers_not_multiple",
            target("  - {name: p, below: t, sync: join}\n  - {name: t, capabilities: [scalar], workers: {count: 48, "
                   "multiple-of: 32}}\n"),
            "target.not-a-multiple", 3, 56, "use 64"},
        Bad{"max_not_multiple",
            target("  - {name: p, below: t, sync: join}\n  - {name: t, capabilities: [scalar], workers: {max: 40, "
                   "multiple-of: 32}}\n"),
            "target.not-a-multiple", 3, 54, "use 32"},
        Bad{"top_workers", target("  - {name: t, capabilities: [scalar], workers: 4}\n"), "target.top-workers", 2, 48,
            "outermost"},
        Bad{"line_above_bytes",
            target("  - {name: t, capabilities: [scalar], memory: [{name: m, bytes: 32, line: 64}]}\n"),
            "target.memory", 2, 75, "a line of 64"},
        Bad{"two_memories", target("  - {name: t, capabilities: [scalar], memory: [{name: m}, {name: m}]}\n"),
            "target.twice", 2, 66, "memory of level 't' 'm'"},
        Bad{"no_banks", target("  - {name: t, capabilities: [scalar], memory: [{name: m, bytes: 32, banks: 0}]}\n"),
            "target.out-of-range", 2, 76, "at least 1"},
        Bad{"atomics_width", target("  - {name: t, capabilities: [scalar], memory: [{name: m, atomics: [32, 33]}]}\n"),
            "target.bad-width", 2, 72, "8, 16, 32, 64"},
        Bad{"atomics_twice", target("  - {name: t, capabilities: [scalar], memory: [{name: m, atomics: [32, 32]}]}\n"),
            "target.twice", 2, 72, "'32' is given twice"},
        Bad{"lanes",
            target("  - {name: b, below: w, sync: barrier, max-lanes: 1024}\n  - {name: w, below: t, sync: warp, "
                   "workers: {count: 64, max: 64}}\n  - {name: t, capabilities: [scalar], workers: 32}\n"),
            "target.too-many-lanes", 4, 48, "64 x 32 = 2048 lanes"},
        Bad{"lanes_zero", target("  - {name: p, below: t, sync: join, max-lanes: 0}\n" + kThread),
            "target.out-of-range", 2, 48, "from 1"},
        Bad{"lanes_overflow",
            target("  - {name: b, below: w, sync: barrier, max-lanes: 1024}\n  - {name: w, below: v, sync: warp, "
                   "workers: 2147483647}\n  - {name: v, below: t, sync: warp, workers: 2147483647}\n  - {name: t, "
                   "capabilities: [scalar], workers: 2147483647}\n"),
            "target.too-many-lanes", 5, 48, "= 18446744073709551615 lanes"},
        Bad{"lanes_are_iterations",
            target("  - {name: b, below: t, capabilities: [vector], sync: barrier}\n  - {name: t, below: i, sync: "
                   "close-loop}\n  - {name: i, capabilities: [scalar]}\n"),
            "target.lanes-are-iterations", 3, 31, "iterations of 't'"},
        Bad{"shuffle_word", target("  - {name: p, below: t, sync: warp, shuffle: 2}\n" + kThread),
            "target.unknown-word", 2, 46, "use one of false, true"},
        Bad{"shuffle_of_nothing", target("  - {name: t, capabilities: [scalar], shuffle: true}\n"),
            "target.shuffle-of-nothing", 2, 48, "nothing below"},
        // the pipeline
        Bad{"no_pipeline", "levels:\n" + kThread, "target.missing", 1, 1, "'pipeline'"},
        Bad{"no_frontend", "levels:\n" + kThread + "pipeline: {analyses: [], heuristic: h}\n", "target.missing", 3, 11,
            "'frontend'"},
        Bad{"no_heuristic", "levels:\n" + kThread + "pipeline: {analyses: [], frontend: f}\n", "target.missing", 3, 11,
            "'heuristic'"},
        Bad{"no_analyses", "levels:\n" + kThread + "pipeline: {frontend: f, heuristic: h}\n", "target.missing", 3, 11,
            "'analyses'"},
        Bad{"unknown_section", "levels:\n" + kThread + "pipeline: {backends: x}\n", "target.unknown-key", 3, 12,
            "'backend'"},
        Bad{"step_list", "levels:\n" + kThread + "pipeline: {frontend: [f]}\n", "target.wrong-type", 3, 22, "a list"},
        Bad{"step_two_names", "levels:\n" + kThread + "pipeline: {frontend: {f: {}, g: {}}}\n", "target.step-form", 3,
            22, "2 keys"},
        Bad{"step_empty", "levels:\n" + kThread + "pipeline: {frontend: {}}\n", "target.step-form", 3, 22, "0 keys"},
        Bad{"option_mapping", "levels:\n" + kThread + "pipeline: {frontend: {f: {o: {x: 1}}}}\n", "target.wrong-type",
            3, 30, "a mapping"},
        Bad{"options_scalar", "levels:\n" + kThread + "pipeline: {frontend: {f: 3}}\n", "target.wrong-type", 3, 26,
            "the number 3"},
        Bad{"passes_mapping", "levels:\n" + kThread + "pipeline: {passes: {p: {}}}\n", "target.options-of-nothing", 3,
            20, "extends none"},
        // pipelines by name
        Bad{"use_unknown", "levels:\n" + kThread + "pipeline: {use: devise}\n", "target.unknown-pipeline", 3, 17,
            "'device'"},
        Bad{"use_missing_file", "levels:\n" + kThread + "pipeline: {use: ./nothing.yaml}\n", "target.unreadable", 3, 17,
            "does not exist"},
        Bad{"use_list", "levels:\n" + kThread + "pipeline: {use: [a]}\n", "target.wrong-type", 3, 17, "a list"},
        Bad{"use_options", "levels:\n" + kThread + "pipeline: {use: host, passes: {flaten: {}}}\n",
            "target.no-such-step", 3, 32, "'flatten'"},
        Bad{"without_unknown", "levels:\n" + kThread + "pipeline: {use: host, without: [sliding, locksetp]}\n",
            "target.nothing-without", 3, 42, "'lockstep'"},
        Bad{"without_base", "levels:\n" + kThread + "pipeline: {frontend: f, without: [a]}\n", "target.without-base", 3,
            34, "'use'"},
        // extending
        Bad{"extends_unknown", "extends: cpu-opnmp\n", "target.unknown", 1, 10, "'cpu-openmp'"},
        Bad{"extends_missing_file", "extends: ./nothing.yaml\n", "target.unreadable", 1, 10, "does not exist"},
        Bad{"extends_list", "extends: [a]\n", "target.wrong-type", 1, 10, "a list"}),
    [](const auto &info) { return std::string(info.param.what); });

TEST(TargetFile, RecursiveAndRepeatedAliasesEnd) {
  failure("levels: &a\n  - *a\n");
  failure("levels: &a [{name: x, memory: *a}]\n");
  std::string bomb = "a: &a [x, x]\n";
  for (char c = 'b'; c < 'z'; ++c) bomb += fmt::format("{0}: &{0} [*{1}, *{1}]\n", c, static_cast<char>(c - 1));
  failure(bomb);
  failure("levels: " + std::string("&a {name: t, capabilities: [scalar]}\n") + kPipeline);
}

TEST(TargetFile, TooLargeIsRefused) { EXPECT_EQ(failure(std::string(3 << 20, '#')).id, "target.too-large"); }

TEST(TargetFile, UnknownNameSaysTheNearestAndWhereItLooked) {
  Failure got = failureOf([] {
    ast::Arena arena;
    loadTarget("cpu-opnmp", arena);
  });
  EXPECT_EQ(got.id, "target.unknown");
  EXPECT_NE(got.advice.find("'cpu-openmp'"), std::string::npos) << got.advice;
  EXPECT_NE(got.advice.find("tangram/hw"), std::string::npos) << got.advice;
  for (const std::string &name : {std::string(), std::string("a\0b", 3), std::string("no-such/file"), std::string("/"),
                                  std::string("."), std::string("x.yaml"), std::string(100000, 'x')})
    failureOf([&] {
      ast::Arena arena;
      loadTarget(name, arena);
    });
}

// ---- extends -------------------------------------------------------------------------------------------

TEST(Extends, ChangesWhatItSaysAndKeepsTheRest) {
  TempFolder folder;
  folder.write("mine.yaml", R"(
extends: cpu-openmp
summary: this machine
levels:
  - name: thread
    workers: 64
    memory:
      - {name: l2, bytes: 2 MiB}
      - {name: hbm, bytes: 16 GiB}
  - name: lane
    workers: 16
pipeline:
  passes: {flatten: {verbose: true}}
  backend: {openmp: {compiler: "g++-12"}}
)");
  ast::Arena arena;
  Target base = loadTarget("cpu-openmp", arena), mine = loadTarget((folder.path / "mine.yaml").string(), arena);
  EXPECT_EQ(mine.name, "mine");
  EXPECT_EQ(mine.hardware.name, "mine");
  EXPECT_EQ(mine.summary, "this machine");
  EXPECT_EQ(mine.hardware.levelNames(), base.hardware.levelNames());
  const Level &thread = *mine.hardware.find("thread");
  EXPECT_EQ(thread.workers.count, 64u);
  EXPECT_FALSE(thread.workers.automatic);
  EXPECT_TRUE(thread.vector);
  EXPECT_EQ(thread.tiling, Tiling::Strided);
  ASSERT_EQ(thread.memories.size(), 3u);
  EXPECT_EQ(thread.memories[0].bytes, 2u << 20);
  EXPECT_EQ(thread.memories[0].line, 64u);
  EXPECT_EQ(thread.memories[1].name, "l1");
  EXPECT_EQ(thread.memories[2].name, "hbm");
  EXPECT_EQ(mine.hardware.lanes(thread), 16u);
  ASSERT_EQ(mine.pipeline.passes.size(), base.pipeline.passes.size());
  for (const Step &step : mine.pipeline.passes) EXPECT_EQ(step.options.has("verbose"), step.name == "flatten");
  EXPECT_EQ(mine.pipeline.backend.name, "openmp");
  EXPECT_EQ(mine.pipeline.backend.options.text("compiler"), "g++-12");
  EXPECT_EQ(printTarget(parse(printTarget(mine))), printTarget(mine));
}

TEST(Extends, NumbersOfCoresOneByOne) {
  ast::Arena arena;
  Target target = parseTarget("extends: cpu-simple\nlevels:\n"
                              "  - {name: thread, cores: {count: 2, clock: 3.0e9}}\n",
                              "test.yaml", arena);
  EXPECT_EQ(target.hardware.find("thread")->cores.count, 2u);
  EXPECT_EQ(target.hardware.find("thread")->cores.clock, 3.0e9);
  EXPECT_EQ(target.hardware.find("thread")->cores.issue, 0);
  Failure got = failureOf([&] {
    parseTarget("extends: cpu-simple\nlevels:\n  - {name: thread, cores: {cuont: 2}}\n", "test.yaml", arena);
  });
  EXPECT_EQ(got.line, 3u);
  EXPECT_NE(got.advice.find("count"), std::string::npos) << got.advice;
  got = failureOf([&] {
    parseTarget("extends: cpu-simple\nlevels:\n  - {name: thread, cores: {clock: fast}}\n", "test.yaml", arena);
  });
  EXPECT_EQ(got.line, 3u);
}

TEST(Extends, IsForEnvWhatItExtends) {
  TempFolder folder;
  folder.write("mine.yaml", "extends: cpu-openmp\n");
  folder.write("ours.yaml", "extends: ./mine.yaml\nenv: [anybodys, mine]\n");
  ast::Arena arena;
  Target target = loadTarget((folder.path / "ours.yaml").string(), arena);
  EXPECT_EQ(target.hardware.env, (std::vector<std::string>{"anybodys", "mine", "cpu-openmp"}));
  for (const char *name : {"ours", "mine", "cpu-openmp", "anybodys"}) EXPECT_TRUE(target.hardware.is(name)) << name;
  EXPECT_FALSE(target.hardware.is("cpu-simple"));
  // Also where it has lost its name, as in a crash file.
  EXPECT_EQ(printTarget(parse(printTarget(target))), printTarget(target));
  EXPECT_TRUE(parse(printRenamed(target)).hardware.is("ours"));
  EXPECT_TRUE(parse(printRenamed(target)).hardware.is("cpu-openmp"));
}

TEST(Extends, AddsAndCutsLevels) {
  TempFolder folder;
  folder.write("base.yaml", target("  - {name: p, below: t, sync: join}\n  - {name: t, capabilities: [scalar]}\n"));
  folder.write("more.yaml", "extends: ./base.yaml\nlevels:\n  - {name: t, below: i, sync: close-loop}\n"
                            "  - {name: i, capabilities: [scalar]}\n");
  folder.write("cut.yaml", "extends: more.yaml\nlevels:\n  - {name: t, below: none}\n");
  ast::Arena arena;
  EXPECT_EQ(loadTarget((folder.path / "more.yaml").string(), arena).hardware.levelNames(),
            (std::vector<std::string>{"p", "t", "i"}));
  Failure got = failureOf([&] { loadTarget((folder.path / "cut.yaml").string(), arena); });
  EXPECT_EQ(got.id, "target.unreached"); // i is still there
  EXPECT_EQ(got.file, (folder.path / "more.yaml").string());
}

TEST(Extends, OneOfItsOwnNameMeansTheOneBehind) {
  TempFolder folder;
  folder.write("cpu-simple.yaml", "extends: cpu-simple\nlevels: [{name: thread, workers: 3}]\n");
  ::setenv("TANGRAM_HW_PATH", folder.path.c_str(), 1);
  ast::Arena arena;
  Target target = loadTarget("cpu-simple", arena);
  ::unsetenv("TANGRAM_HW_PATH");
  EXPECT_EQ(target.path, folder.path / "cpu-simple.yaml");
  EXPECT_EQ(target.hardware.find("thread")->workers.count, 3u);
}

TEST(Extends, CirclesAndChains) {
  TempFolder folder;
  folder.write("a.yaml", "extends: b.yaml\n");
  folder.write("b.yaml", "extends: a.yaml\n");
  folder.write("self.yaml", "extends: ./self.yaml\n");
  for (int i = 0; i < 40; ++i) folder.write(fmt::format("c{}.yaml", i), fmt::format("extends: c{}.yaml\n", i + 1));
  folder.write("c40.yaml", target(kThread));
  auto id = [&](const char *file) {
    ast::Arena arena;
    return failureOf([&] { loadTarget((folder.path / file).string(), arena); }).id;
  };
  EXPECT_EQ(id("a.yaml"), "target.extends-itself");
  EXPECT_EQ(id("self.yaml"), "target.extends-itself");
  EXPECT_EQ(id("c0.yaml"), "target.extends-too-far");
  ast::Arena arena;
  EXPECT_NO_THROW(loadTarget((folder.path / "c30.yaml").string(), arena));
}

TEST(Extends, MistakesAreShownWhereTheyAre) {
  TempFolder folder;
  folder.write("base.yaml", "levels:\n  - {name: t, oops: 1}\n");
  folder.write("top.yaml", "summary: x\nextends: base.yaml\n");
  folder.write("options.yaml", "extends: cpu-simple\npipeline:\n  passes: {flaten: {x: 1}}\n");
  ast::Arena arena;
  Failure got = failureOf([&] { loadTarget((folder.path / "top.yaml").string(), arena); });
  EXPECT_EQ(got.file, (folder.path / "base.yaml").string());
  EXPECT_EQ(got.line, 2u);
  EXPECT_EQ(got.notes, std::vector<std::string>{"extended from here"});
  got = failureOf([&] { loadTarget((folder.path / "options.yaml").string(), arena); });
  EXPECT_EQ(got.id, "target.no-such-step");
  EXPECT_EQ(got.line, 3u);
  EXPECT_NE(got.advice.find("'flatten'"), std::string::npos);
}

std::vector<std::string> namesOf(const std::vector<Step> &steps) {
  std::vector<std::string> names;
  for (const Step &step : steps) names.push_back(step.name);
  return names;
}

TEST(SharedPipelines, AreCompletedByWhoUsesThem) {
  TempFolder folder;
  fs::create_directories(folder.path / "pipelines");
  folder.write("pipelines/base.yaml", "frontend: f\nanalyses: [a, b]\nheuristic: {h: {x: 1}}\n");
  folder.write("pipelines/mine.yaml", "use: base\nwithout: [b]\npasses: [p, q, r]\n");
  folder.write("one.yaml", "levels:\n" + kThread +
                               "pipeline: {use: mine, without: [q], passes: {r: {y: 2}}, heuristic: {h: {z: 3}}}\n");
  folder.write("other.yaml", "extends: one\npipeline: {use: ./pipelines/mine.yaml, frontend: g, backend: c}\n");
  folder.write("last.yaml", "extends: other\npipeline: {without: [a]}\n");
  ::setenv("TANGRAM_HW_PATH", folder.path.c_str(), 1);
  ast::Arena arena;
  Target one = loadTarget("one", arena), other = loadTarget("other", arena), last = loadTarget("last", arena);
  ::unsetenv("TANGRAM_HW_PATH");
  using Names = std::vector<std::string>;
  EXPECT_EQ(one.pipeline.frontend.name, "f");
  EXPECT_EQ(namesOf(one.pipeline.analyses), Names({"a"}));
  EXPECT_EQ(namesOf(one.pipeline.passes), Names({"p", "r"}));
  EXPECT_TRUE(one.pipeline.passes[1].options.has("y"));
  EXPECT_TRUE(one.pipeline.heuristic.options.has("x") && one.pipeline.heuristic.options.has("z"));
  EXPECT_EQ(other.pipeline.frontend.name, "g");
  EXPECT_EQ(other.pipeline.backend.name, "c");
  EXPECT_EQ(namesOf(other.pipeline.passes), Names({"p", "q", "r"}));
  EXPECT_TRUE(namesOf(last.pipeline.analyses).empty());
}

TEST(SharedPipelines, MistakesAreShownWhereTheyAre) {
  TempFolder folder;
  folder.write("bad.yaml", "frontend: f\npases: [p]\n");
  folder.write("self.yaml", "use: ./self.yaml\n");
  folder.write("top.yaml", "levels:\n" + kThread + "pipeline: {use: ./bad.yaml}\n");
  folder.write("round.yaml", "levels:\n" + kThread + "pipeline: {use: ./self.yaml}\n");
  ast::Arena arena;
  Failure got = failureOf([&] { loadTarget((folder.path / "top.yaml").string(), arena); });
  EXPECT_EQ(got.id, "target.unknown-key");
  EXPECT_EQ(fs::path(got.file).filename(), "bad.yaml");
  EXPECT_EQ(got.line, 2u);
  EXPECT_EQ(got.notes, std::vector<std::string>{"used from here"});
  EXPECT_EQ(failureOf([&] { loadTarget((folder.path / "round.yaml").string(), arena); }).id, "target.uses-itself");
}

TEST(Targets, UnreadableOnesAreNotListed) {
  TempFolder folder;
  folder.write("broken.yaml", "levels: [");
  folder.write("fine.yaml", "summary: mine\n" + target(kThread));
  fs::create_directories(folder.path / "folder.yaml");
  ::setenv("TANGRAM_HW_PATH", (folder.path.string() + ":/nowhere").c_str(), 1);
  std::vector<TargetInfo> targets = listTargets();
  ::unsetenv("TANGRAM_HW_PATH");
  bool fine = false;
  for (const TargetInfo &info : targets) {
    fine |= info.name == "fine" && info.summary == "mine";
    EXPECT_NE(info.name, "broken");
    EXPECT_NE(info.name, "folder");
  }
  EXPECT_TRUE(fine);
}

// ---- pipelines -----------------------------------------------------------------------------------------

class Pipeline : public testing::Test {
protected:
  template <class D, class C> void add(Table<D> &table, const std::string &name, D descriptor) {
    descriptor.name = name;
    descriptor.summary = "for tests";
    if constexpr (std::is_same_v<D, FrontendDescriptor>)
      descriptor.create = [] { return std::unique_ptr<C>(); };
    else
      descriptor.create = [](const OptionValues &) { return std::unique_ptr<C>(); };
    table.add(std::move(descriptor));
  }
  void pass(const std::string &name, std::vector<std::string> needs, std::vector<std::string> gives,
            std::vector<std::string> destroys = {}, std::vector<std::string> excludes = {}) {
    for (const std::string &name : gives)
      if (!registry_.properties.find(name)) registry_.properties.add(property(name, "for tests", nodesOf<>));
    PassDescriptor descriptor;
    descriptor.excludes = std::move(excludes);
    descriptor.requires_ = std::move(needs);
    descriptor.establishes = std::move(gives);
    descriptor.destroys = std::move(destroys);
    descriptor.options = {{"factor", "by how much", std::int64_t{1}, 1, 8, {}}};
    add<PassDescriptor, Pass>(registry_.passes, name, std::move(descriptor));
  }
  void SetUp() override {
    add<FrontendDescriptor, Frontend>(registry_.frontends, "front", {});
    AnalysisDescriptor first, second;
    first.establishes = {"parallelism"};
    second.requires_ = {"parallelism"};
    second.establishes = {"matches"};
    add<AnalysisDescriptor, Analysis>(registry_.analyses, "first", first);
    add<AnalysisDescriptor, Analysis>(registry_.analyses, "second", second);
    add<HeuristicDescriptor, Heuristic>(registry_.heuristics, "pick", {});
    pass("flatten", {"composed"}, {"flat"});
    pass("index", {"flat"}, {"linear"});
    pass("wrap", {"flat"}, {"wrapped"}, {"flat"});
    BackendDescriptor backend;
    backend.requires_ = {"linear"};
    backend.options = {{"compiler", "the tool", std::string("g++"), {}, {}, {}}};
    add<BackendDescriptor, Backend>(registry_.backends, "print", backend);
  }
  /// Line 3 on: one key of the pipeline a line.
  void check(const std::string &pipeline) {
    checkPipeline(
        parseTarget("levels: [{name: t, capabilities: [scalar]}]\npipeline:\n" + pipeline, "test.yaml", arena_),
        registry_);
  }
  Failure error(const std::string &passes, const std::string &rest = "") {
    return failureOf([&] {
      check("  frontend: front\n  analyses: [first, second]\n  heuristic: pick\n  passes: " + passes + "\n" + rest);
    });
  }
  Registry registry_;
  ast::Arena arena_;
};

TEST_F(Pipeline, Good) {
  EXPECT_NO_THROW(check("  frontend: front\n  analyses: [first, second]\n  heuristic: pick\n"
                        "  passes: [flatten, {index: {factor: 8}}]\n  backend: {print: {compiler: cc}}\n"));
  EXPECT_NO_THROW(check("  frontend: front\n  analyses: []\n  heuristic: pick\n"));
}

TEST_F(Pipeline, UnknownSteps) {
  auto got = failureOf([&] { check("  frontend: fornt\n  analyses: []\n  heuristic: pick\n"); });
  EXPECT_EQ(got.message, "there is no frontend 'fornt'");
  EXPECT_EQ(got.advice, "use 'front'");
  EXPECT_EQ(got.line, 3u);
  EXPECT_EQ(got.column, 13u);
  EXPECT_EQ(error("[flaten]").advice, "use 'flatten'");
  EXPECT_EQ(error("[flaten]").line, 6u);
  EXPECT_EQ(error("[]", "  backend: prnt\n").line, 7u);
  EXPECT_EQ(failureOf([&] { check("  frontend: front\n  analyses: [frist]\n  heuristic: pick\n"); }).advice,
            "use 'first'");
  EXPECT_EQ(failureOf([&] { check("  frontend: front\n  analyses: []\n  heuristic: pck\n"); }).line, 5u);
}

TEST_F(Pipeline, BadOptions) {
  Failure got = error("[{flatten: {factor: 9}}]");
  EXPECT_EQ(got.id, "options.out-of-range");
  EXPECT_EQ(got.line, 6u);
  EXPECT_EQ(got.column, 31u);
  EXPECT_EQ(error("[{flatten: {fctor: 3}}]").advice, "use 'factor'");
  EXPECT_EQ(error("[{flatten: {factor: fast}}]").id, "options.wrong-type");
  EXPECT_EQ(error("[]", "  backend: {print: {compiler: 3}}\n").id, "options.wrong-type");
}

TEST_F(Pipeline, APassThatStandsTooLate) {
  pass("stage", {"flat"}, {}, {}, {"linear"});
  EXPECT_NO_THROW(check("  frontend: front\n  analyses: []\n  heuristic: pick\n  passes: [flatten, stage, index]\n"));
  Failure got = error("[flatten, index, stage]");
  EXPECT_EQ(got.id, "pipeline.too-late");
  EXPECT_EQ(got.line, 6u);
  EXPECT_EQ(got.message, "pass 'stage' does not understand what 'index' leaves, which has established 'linear'");
  EXPECT_EQ(got.advice, "move 'stage' before 'index'");
  EXPECT_EQ(got.notes, std::vector<std::string>{"'index' establishes 'linear' here"});
}

TEST_F(Pipeline, APropertyWithoutAChecker) {
  PassDescriptor vague;
  vague.establishes = {"tidy"};
  add<PassDescriptor, Pass>(registry_.passes, "vague", vague);
  Failure got = error("[vague]");
  EXPECT_EQ(got.id, "pipeline.unregistered");
  EXPECT_EQ(got.message, "pass 'vague' establishes the property 'tidy', of which no plugin says how it is checked");
  PropertyDescriptor none;
  none.name = "tidy";
  none.summary = "for tests";
  EXPECT_EQ(failureOf([&] { registry_.properties.add(none); }).id, "registry.incomplete");
}

TEST_F(Pipeline, ImpossibleOrder) {
  Failure got = error("\n    - index\n    - flatten");
  EXPECT_EQ(got.id, "pipeline.order");
  EXPECT_EQ(got.line, 7u);
  EXPECT_EQ(got.message, "pass 'index' needs the property 'flat', which it does not find where it stands");
  EXPECT_EQ(got.advice, "move 'flatten' before 'index'");
  EXPECT_EQ(got.notes, std::vector<std::string>{"'flatten' establishes 'flat', but stands here, after 'index'"});

  got = error("[index]");
  EXPECT_EQ(got.advice, "add 'flatten', which establishes 'flat', before 'index'");

  got = error("[flatten, wrap, index]");
  EXPECT_EQ(got.advice, "move 'index' before 'wrap', which ends 'flat'");
  EXPECT_EQ(got.notes, std::vector<std::string>{"'wrap' ends 'flat' here"});

  got = error("[flatten]", "  backend: print\n");
  EXPECT_EQ(got.message, "backend 'print' needs the property 'linear', which it does not find where it stands");
  EXPECT_EQ(got.advice, "add 'index', which establishes 'linear', before 'print'");
  EXPECT_EQ(got.line, 7u);

  pass("magic", {"wonder"}, {});
  EXPECT_NE(error("[magic]").advice.find("none that is loaded does"), std::string::npos);

  got = failureOf([&] { check("  frontend: front\n  analyses: [second, first]\n  heuristic: pick\n"); });
  EXPECT_EQ(got.message, "analysis 'second' needs the facts 'parallelism', which it does not find where it stands");
}

/// Our own plugins that this build leaves out: they have a folder in the source tree, and CMake did not build them.
bool leftOut(const std::string &plugin) {
  static const std::string built = TANGRAM_BUILT_PLUGINS " "; // tangram-flatten, tangram-frontend-clang, ...
  if (built.find("-" + plugin + " ") != std::string::npos) return false;
  auto hasFolder = [&](const fs::path &parent) { return fs::exists(parent / plugin / "CMakeLists.txt"); };
  fs::path root = TANGRAM_SOURCE_DIR;
  fs::directory_iterator kinds(root / "plugins");
  return hasFolder(root / "heuristics") || std::any_of(begin(kinds), end(kinds), hasFolder);
}

std::vector<std::string> stepsLeftOut(const PipelineSpec &pipeline) {
  std::vector<std::string> names = {pipeline.frontend.name, pipeline.heuristic.name, pipeline.backend.name};
  for (const auto *steps : {&pipeline.analyses, &pipeline.passes})
    for (const Step &step : *steps) names.push_back(step.name);
  std::erase_if(names, [](const std::string &name) { return name.empty() || !leftOut(name); });
  return names;
}

TEST(LeftOutPlugins, AreOurOwn) {
  EXPECT_FALSE(leftOut("no-such-backend"));
  EXPECT_FALSE(leftOut("flatten")); // without these there is nothing to test
  EXPECT_FALSE(leftOut("clang"));
}

std::vector<fs::path> shippedTargets() {
  std::vector<fs::path> files;
  for (const auto &entry : fs::directory_iterator(kHw))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  return files;
}

class ShippedTargets : public testing::TestWithParam<fs::path> {};

TEST_P(ShippedTargets, PipelinesFitThePlugins) {
  PluginLoader loader;
  Registry registry;
  DiagnosticEngine diags;
  loader.loadAll({TANGRAM_BINARY_DIR "/lib/tangram/plugins"}, registry, diags);
  for (const Diagnostic &diagnostic : diags.all()) ADD_FAILURE() << render(diagnostic, false);
  ast::Arena arena;
  try {
    Target target = loadTarget(GetParam().string(), arena);
    std::vector<std::string> missing = stepsLeftOut(target.pipeline);
    if (!missing.empty())
      GTEST_SKIP() << fmt::format("target {} needs what this build leaves out: {}", target.name,
                                  fmt::join(missing, ", "));
    checkPipeline(target, registry);
  } catch (const DiagnosticError &error) {
    ADD_FAILURE() << render(error.diagnostic, false);
  }
}

INSTANTIATE_TEST_SUITE_P(Hw, ShippedTargets, testing::ValuesIn(shippedTargets()), [](const auto &info) {
  std::string name = info.param.stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// ---- anything at all -----------------------------------------------------------------------------------

/// Bytes changed, removed, doubled and pieces of other targets put in: an error or a target, nothing else.
TEST(TargetFuzz, MutationsNeverCrash) {
  std::vector<std::string> seeds;
  for (const auto &entry : fs::directory_iterator(kHw))
    if (entry.path().extension() == ".yaml") seeds.push_back(readFile(entry.path()));
  ASSERT_GE(seeds.size(), 4u);
  const std::vector<std::string> pieces = {"*a",
                                           "&a ",
                                           "[",
                                           "]",
                                           "{",
                                           "}",
                                           ": ",
                                           "\n",
                                           "- ",
                                           "\"",
                                           "'",
                                           "!!str ",
                                           "|\n",
                                           ">-\n",
                                           "---\n",
                                           "? ",
                                           "<<: ",
                                           "%YAML 9.9\n",
                                           "\t",
                                           "#",
                                           "0",
                                           "-1",
                                           "~",
                                           "1e999",
                                           "extends: cpu-simple\n",
                                           "levels:",
                                           "  ",
                                           "\xef\xbb\xbf",
                                           "\xff"};
  std::mt19937 random(20240518);
  auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  std::size_t good = 0, bad = 0;
  for (int round = 0; round < 6000; ++round) {
    std::string text = seeds[below(seeds.size())];
    for (std::size_t change = below(6) + 1; change--;) {
      std::size_t at = below(text.size() + 1), length = std::min(text.size() - at, below(40));
      switch (below(6)) {
      case 0: text.erase(at, length); break;
      case 1: text.insert(at, pieces[below(pieces.size())]); break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 3: text.insert(at, text.substr(at, length)); break;
      case 4: {
        const std::string &other = seeds[below(seeds.size())];
        text.insert(at, other.substr(below(other.size()), length));
        break;
      }
      case 5: text.resize(at); break;
      }
    }
    ast::Arena arena;
    try {
      Target target = parseTarget(text, "fuzz.yaml", arena);
      // What is a target prints as one.
      std::string printed = printTarget(target);
      ASSERT_EQ(printTarget(parseTarget(printed, "fuzz.yaml", arena)), printed) << text;
      ++good;
    } catch (const DiagnosticError &error) {
      ASSERT_EQ(error.diagnostic.cls, DiagnosticClass::User) << text;
      ASSERT_TRUE(error.diagnostic.range.file) << error.diagnostic.message << "\n" << text;
      render(error.diagnostic, false);
      ++bad;
    }
  }
  EXPECT_GT(good, 50u);
  EXPECT_GT(bad, 50u);
}

} // namespace
