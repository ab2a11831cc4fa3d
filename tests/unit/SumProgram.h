// Programs and machines for tests of composition: the four sum codelets of Figure 4.3 as an AST, and the simple CPU and
// GPU of Figure 5.2.
#pragma once

#include "tangram/ast/Text.h"
#include "tangram/compose/Heuristic.h"
#include "tangram/plugin/Loader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tangram::test {

// ---- text of nodes, typed as the frontend types them ----

inline std::string var(const std::string &type, const std::string &name) {
  return fmt::format("(VarRef {} \"{}\")", type, name);
}
inline std::string lit(const std::string &type, long value) { return fmt::format("(IntLit {} {})", type, value); }
inline std::string bin(const std::string &type, const std::string &op, const std::string &a, const std::string &b) {
  return fmt::format("(Binary {} {} {} {})", type, op, a, b);
}
inline std::string cast(const std::string &type, const std::string &e) { return fmt::format("(Cast {} {})", type, e); }
inline std::string size(const std::string &container) { return fmt::format("(Size u64 {} -)", container); }
inline std::string declare(const std::string &type, const std::string &name, const std::string &init = "-") {
  return fmt::format("(Declare \"{}\" {} false false [] - {})", name, type, init);
}
inline std::string tunable(const std::string &name, const std::string &range = "1 0 1 []") {
  return fmt::format("(Declare \"{}\" u32 false false [] (Tunable {} \"\") -)", name, range);
}
inline std::string call(const std::string &type, const std::string &spectrum, const std::vector<std::string> &args) {
  return fmt::format("(SpectrumCall {} \"{}\" [{}] \"\" [] {{}} none - [] -)", type, spectrum, fmt::join(args, " "));
}
inline std::string map(const std::string &type, const std::string &spectrum, const std::vector<std::string> &args) {
  return fmt::format("(Map {} \"{}\" [{}] none \"\" {{}} - - - -)", type, spectrum, fmt::join(args, " "));
}
inline std::string sequence(const std::string &start, const std::string &inc = "-", const std::string &end = "-") {
  return fmt::format("(Sequence u32 - {} {} {})", start, inc, end);
}
inline std::string partition(const std::string &type, const std::string &container, const std::string &count,
                             const std::string &start, const std::string &inc, const std::string &end) {
  return fmt::format("(Partition array<1,{}> {} [{}] [{}] [{}] [{}])", type, container, count, start, inc, end);
}
inline std::string codelet(const std::string &name, const std::vector<std::string> &statements, bool coop = false,
                           const std::string &env = "", const std::string &conditions = "",
                           const std::string &params = "(Param \"in\" array<1,i32> in)") {
  return fmt::format("(Codelet \"{}\" \"\" \"\" {} false [{}] [] [{}] [{}] (Block [{}]))\n", name, coop, env, params,
                     conditions, fmt::join(statements, "\n"));
}
inline std::string spectrum(const std::string &name, const std::vector<std::string> &codelets,
                            const std::string &result = "i32",
                            const std::string &params = "(Param \"in\" array<1,i32> in)",
                            const std::string &conditions = "") {
  return fmt::format("(Spectrum \"{}\" {} [{}] [{}] [{}])\n", name, result, params, conditions,
                     fmt::join(codelets, " "));
}

// ---- the sum of Figure 4.3 ----

inline const std::string kIn = var("array<1,i32>", "in");

/// Figure 4.3(a): atomic autonomous.
inline std::string serialSum(const std::string &name = "a") {
  return codelet(name,
                 {declare("u32", "len", cast("u32", size(kIn))), declare("i32", "accum", lit("i32", 0)),
                  fmt::format("(For {} {} (Unary u32 preinc {}) (Block [(Evaluate (Assign i32 add {} "
                              "(Subscript i32 {} [{}])))]))",
                              declare("u32", "i", lit("u32", 0)), bin("bool", "lt", var("u32", "i"), var("u32", "len")),
                              var("u32", "i"), var("i32", "accum"), kIn, var("u32", "i")),
                  fmt::format("(Return {})", var("i32", "accum"))});
}

/// Figure 4.3(b): atomic cooperative, a tree over shared memory.
inline std::string treeSum(const std::string &name = "b") {
  auto tmp = [](const std::string &index) { return fmt::format("(Subscript i32 (VarRef i32 \"tmp\") [{}])", index); };
  std::string id = var("u32", "id"), s = var("u32", "s");
  return codelet(
      name,
      {"(Declare \"tmp\" i32 false true [(CoopDim u32)] - -)", declare("u32", "len", cast("u32", size(kIn))),
       declare("u32", "id", "(CoopIdx u32)"),
       fmt::format("(Evaluate (Assign i32 set {} (Conditional i32 {} (Subscript i32 {} [{}]) {})))", tmp(id),
                   bin("bool", "lt", id, var("u32", "len")), kIn, id, lit("i32", 0)),
       fmt::format("(For {} {} (Assign u32 mul {} {}) (Block [(If {} (Block [(Evaluate (Assign i32 add {} {}))]) -)]))",
                   declare("u32", "s", lit("u32", 1)), bin("bool", "lt", s, "(CoopDim u32)"), s, lit("u32", 2),
                   bin("bool", "ge", id, s), tmp(id), tmp(bin("u32", "sub", id, s))),
       fmt::format("(Return {})", tmp(bin("u32", "sub", "(CoopDim u32)", lit("u32", 1))))},
      true);
}

/// Figure 4.3(c) and (d): compound, with adjacent or strided tiles.
inline std::string tiledSum(const std::string &name, bool strided, const std::string &range = "1 0 1 []",
                            const std::string &spectrum = "sum") {
  std::string p = var("u32", "p"), len = var("u32", "len"), tile = var("u32", "tile");
  std::string one = lit("u32", 1), end = bin("u32", "add", len, one);
  std::string starts = strided ? sequence(lit("u32", 0), one, p) : sequence(lit("u32", 0), tile, len);
  std::string incs = sequence(strided ? p : one);
  std::string ends =
      strided ? sequence(bin("u32", "mul", bin("u32", "sub", p, one), tile), one, end) : sequence(tile, tile, end);
  std::string parts = partition("array<1,i32>", kIn, p, starts, incs, ends);
  return codelet(name, {tunable("p", range), declare("u32", "len", cast("u32", size(kIn))),
                        declare("u32", "tile", bin("u32", "div", bin("u32", "sub", bin("u32", "add", len, p), one), p)),
                        fmt::format("(Return {})", call("i32", spectrum, {map("array<1,i32>", spectrum, {parts})}))});
}

inline std::string module(const std::vector<std::string> &spectrums, const std::vector<std::string> &functions = {}) {
  return fmt::format("(Module [] [{}] [{}] [])", fmt::join(functions, "\n"), fmt::join(spectrums, "\n"));
}
/// std::min of numbers of 32 bits, as frontends make it.
inline const std::string kMin = "(Function \"min_u32\" u32 [(Param \"a\" u32 in) (Param \"b\" u32 in)] (Block [(Return "
                                "(Conditional u32 (Binary bool "
                                "lt (VarRef u32 \"b\") (VarRef u32 \"a\")) (VarRef u32 \"b\") (VarRef u32 \"a\")))]))";
inline std::string least(const std::string &a, const std::string &b) {
  return fmt::format("(Call u32 \"min_u32\" [{} {}])", a, b);
}

inline std::string sumProgram(bool a = true, bool b = true, bool c = true, bool d = true) {
  std::vector<std::string> codelets;
  if (a) codelets.push_back(serialSum());
  if (b) codelets.push_back(treeSum());
  if (c) codelets.push_back(tiledSum("c", false));
  if (d) codelets.push_back(tiledSum("d", true));
  return module({spectrum("sum", codelets)});
}

// ---- machines ----

inline hardware::Level level(std::string name, std::string symbol, bool scalar, bool vector, std::string below,
                             std::uint64_t workers, hardware::Tiling tiling = hardware::Tiling::Any,
                             std::string sync = "") {
  hardware::Level result;
  result.name = std::move(name);
  result.symbol = std::move(symbol);
  result.scalar = scalar;
  result.vector = vector;
  result.subordinate = std::move(below);
  result.workers.count = workers;
  result.tiling = tiling;
  result.sync = hardware::syncNamed(sync.empty() ? "none" : sync).value();
  return result;
}

/// Figure 5.2(a).
inline hardware::Hardware cpuSimple() {
  return {"cpu-simple",
          {level("process", "P", false, false, "thread", 1, hardware::Tiling::Adjacent, "join"),
           level("thread", "T", true, false, "", 4)}};
}

/// Figure 5.2(b). There are more blocks than a block has threads.
inline hardware::Hardware gpuSimple() {
  return {"gpu-simple",
          {level("grid", "G", false, false, "block", 1, hardware::Tiling::Adjacent, "relaunch"),
           level("block", "B", false, true, "thread", 1024, hardware::Tiling::Strided, "barrier"),
           level("thread", "T", true, false, "", 256)}};
}

/// The block and its threads alone (Figure 5.8).
inline hardware::Hardware blockAndThreads() {
  hardware::Hardware result = gpuSimple();
  result.name = "block";
  result.levels.erase(result.levels.begin());
  return result;
}

/// Section 5.4: process, thread with SIMD unit, lane, ILP.
inline hardware::Hardware cpuModern() {
  return {"cpu",
          {level("process", "P", false, false, "thread", 1, hardware::Tiling::Adjacent, "join"),
           level("thread", "T", true, true, "lane", 4, hardware::Tiling::Strided, "lock-step"),
           level("lane", "L", true, false, "ilp", 8, hardware::Tiling::Any, "close-loop"),
           level("ilp", "I", true, false, "", 4)}};
}

// ---- the whole path ----

/// Our analysis and heuristic plugins, from the build tree.
inline Registry &plugins() {
  static PluginLoader loader;
  static Registry *registry = [] {
    auto *made = new Registry; // outlives the loader's libraries at exit in either order: never destroyed
    for (std::string name :
         {"parallelism", "locality", "level-matching", "races", "parallelism-first", "exhaustive", "random", "model"})
      loader.load(fmt::format("{}/lib/tangram/plugins/libtangram-{}.so", TANGRAM_BINARY_DIR, name), *made);
    return made;
  }();
  return *registry;
}

/// A program on a machine, analysed.
struct Program {
  ast::Arena arena;
  hardware::Hardware hardware;
  const ast::Module *module = nullptr;
  Facts facts;
  DiagnosticEngine diags;

  Program(const std::string &text, hardware::Hardware machine) : hardware(std::move(machine)) {
    module = ast::as<ast::Module>(ast::parse(text, arena, "program"));
    for (std::string name : {"parallelism", "locality", "level-matching", "races"}) {
      const AnalysisDescriptor &analysis = plugins().analyses.get(name);
      analysis.create(checkOptions(analysis.options, {}, name))->run(*module, hardware, facts, diags);
      facts.established.insert(analysis.establishes.begin(), analysis.establishes.end());
    }
  }
  Forest forest(unsigned depth, const std::string &spectrum = "sum") const {
    return Forest(*module, hardware, facts, spectrum, depth);
  }
  std::vector<Plan> choose(const Forest &forest, const std::string &heuristic, HeuristicContext &context,
                           const OptionValues &options = {}) const {
    const HeuristicDescriptor &descriptor = plugins().heuristics.get(heuristic);
    return descriptor.create(checkOptions(descriptor.options, options, heuristic))->choose(forest, context);
  }
  std::string notation(const Plan &plan) const { return tangram::notation(plan, *module, hardware); }
  const ast::Codelet *codelet(const std::string &name, const std::string &spectrum = "sum") const {
    for (const ast::Spectrum *s : module->spectrums)
      for (const ast::Codelet *c : s->codelets)
        if (s->name == spectrum && c->name == name) return c;
    return nullptr;
  }
};

/// The diagnostic that `run` throws; a failed expectation where it throws none.
template <class F> Diagnostic thrown(F &&run) {
  try {
    run();
  } catch (const DiagnosticError &e) {
    return e.diagnostic;
  }
  ADD_FAILURE() << "no diagnostic was thrown";
  return {};
}

} // namespace tangram::test
