// Runs the lowering passes on a program and compares, after each, what it computes with what it computed before.
#pragma once

#include "Program.h"
#include "Semantics.h"
#include "tangram/ast/Text.h"
#include "tangram/ast/Verify.h"
#include "tangram/ast/Walk.h"
#include "tangram/pass/Pass.h"
#include "tangram/plugin/Loader.h"

#include <gtest/gtest.h>

namespace tangram::test {

/// process - thread - lane - ilp, with few workers so that tests are small.
inline hardware::Hardware fourLevels() {
  hardware::Hardware h;
  h.name = "test";
  auto level = [&](std::string name, bool scalar, bool vector, std::string below, std::string sync, unsigned workers) {
    hardware::Level l;
    l.name = std::move(name);
    l.scalar = scalar;
    l.vector = vector;
    l.subordinate = std::move(below);
    l.sync = hardware::syncNamed(sync.empty() ? "none" : sync).value();
    l.workers.count = workers;
    h.levels.push_back(std::move(l));
  };
  level("process", false, false, "thread", "join", 1);
  level("thread", true, true, "lane", "lock-step", 4);
  level("lane", true, false, "ilp", "close-loop", 8);
  level("ilp", true, false, "", "", 4);
  return h;
}

class PassHarness : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    if (registry_) return;
    loader_ = new PluginLoader;
    registry_ = new Registry;
    auto load = [](const char *name) {
      loader_->load(fmt::format("{}/lib/tangram/plugins/libtangram-{}.so", TANGRAM_BINARY_DIR, name), *registry_);
    };
    for (const char *name : kPasses) load(name);
    load("bounds-checks");
    load("openmp");
  }
  static constexpr const char *kPasses[] = {"parameterization",      "return-promotion",  "flatten",
                                            "special-function",      "index-calculation", "function-collection",
                                            "qualifier-preparation", "name-mangling"};

  PassHarness() {
    target_.name = "test";
    target_.hardware = fourLevels();
    program::arena = &arena_;
  }

  const ast::Module *apply(const char *pass, const ast::Module *module, bool checked = false) {
    const PassDescriptor &d = registry_->passes.get(pass);
    PassContext context{.arena = arena_,
                        .diags = diags_,
                        .target = target_,
                        .facts = facts_,
                        .backend = registry_->backends.find("openmp")};
    OptionValues options;
    for (const OptionSpec &option : d.options)
      if (checked && option.name == "checked") options.set("checked", true);
    const ast::Module *result = d.create(checkOptions(d.options, options, d.name))->run(module, context);
    for (const ast::Violation &v : ast::verify(*result))
      ADD_FAILURE() << "after " << pass << ": " << v.message << "\n" << (v.node ? ast::print(v.node) : "");
    return result;
  }
  const ast::Module *lower(const ast::Module *module, const std::string &last = "name-mangling") {
    for (const char *pass : kPasses) {
      module = apply(pass, module);
      if (pass == last) break;
    }
    return module;
  }

  struct Outcome {
    Scalar result;
    std::vector<std::vector<Scalar>> arrays;
  };
  Outcome outcome(const ast::Module *module, const std::vector<Value> &args, std::uint64_t steps = kManySteps) {
    std::vector<Value> own = args;
    for (Value &v : own)
      if (v.kind == Value::Kind::Array) v.array.cells = std::make_shared<std::vector<Scalar>>(*v.array.cells);
    Outcome o;
    o.result = run(*module, *module->kernels.at(0), target_.hardware, own, steps);
    for (const Value &v : own)
      if (v.kind == Value::Kind::Array) o.arrays.push_back(*v.array.cells);
    return o;
  }
  static bool same(const Scalar &a, const Scalar &b) {
    return a.type == b.type && a.i == b.i && (a.d == b.d || (a.d != a.d && b.d != b.d));
  }
  static bool same(const Outcome &a, const Outcome &b) {
    if (!same(a.result, b.result) || a.arrays.size() != b.arrays.size()) return false;
    for (std::size_t i = 0; i < a.arrays.size(); ++i)
      for (std::size_t j = 0; j < a.arrays[i].size(); ++j)
        if (!same(a.arrays[i][j], b.arrays[i][j])) return false;
    return true;
  }

  /// The program computes the same in every form, on every list of arguments.
  void checkLowering(const ast::Module *module, const std::vector<std::vector<Value>> &calls) {
    std::vector<Outcome> expected;
    for (const std::vector<Value> &args : calls) expected.push_back(outcome(module, args));
    for (const char *pass : kPasses) {
      const ast::Module *before = module;
      module = apply(pass, module);
      for (std::size_t i = 0; i < calls.size(); ++i) {
        std::string wrong;
        try {
          Outcome got = outcome(module, calls[i]);
          if (!same(got, expected[i]))
            wrong = fmt::format("result {} instead of {}", got.result.i, expected[i].result.i);
        } catch (const Failure &failure) {
          wrong = failure.what();
        }
        if (!wrong.empty()) {
          ADD_FAILURE() << "call " << i << " after " << pass << ": " << wrong << "\nbefore:\n"
                        << ast::print(before->kernels[0]) << "\nafter:\n"
                        << ast::print(module->kernels[0]);
          return;
        }
      }
    }
  }
  /// Checked code says of each call whether an index of the flat form is out of range, and else computes the same.
  /// Counts calls in `stray` of which it says so.
  void checkChecked(const ast::Module *module, const std::vector<std::vector<Value>> &calls, unsigned &stray) {
    // Of bounds that are read from containers it asks more than that parts of them can be cut.
    bool strict = ast::any<ast::Sequence>(module, [](const ast::Sequence &s) { return s.container != nullptr; });
    const ast::Module *plain = module, *checked = module;
    for (const char *pass : {"parameterization", "return-promotion", "flatten", "special-function"}) {
      plain = apply(pass, plain);
      checked = apply(pass, checked, true);
    }
    checked = apply("bounds-checks", checked, true);
    const ast::Module *linear = apply("index-calculation", checked, true);
    for (const std::vector<Value> &args : calls) {
      std::optional<Outcome> expected;
      try {
        expected = outcome(plain, args);
      } catch (const OutOfRange &) {
        ++stray;
      } catch (const Failure &) {
        continue; // too long
      }
      for (const ast::Module *form : {checked, linear}) {
        std::string wrong;
        try {
          Outcome got = outcome(form, args);
          if (!expected)
            wrong = "an index is out of range, and nobody says so";
          else if (!same(got, *expected))
            wrong = fmt::format("result {} instead of {}", got.result.i, expected->result.i);
        } catch (const Reported &reported) {
          if (expected && !strict) wrong = fmt::format("all is in range, but it says: {}", reported.what());
        } catch (const Failure &failure) {
          wrong = failure.what();
        }
        if (!wrong.empty()) {
          ADD_FAILURE() << wrong << "\nbefore:\n"
                        << ast::print(plain->kernels[0]) << "\nafter:\n"
                        << ast::print(form->kernels[0]);
          return;
        }
      }
    }
  }
  /// The diagnostic that lowering ends with.
  Diagnostic rejected(const ast::Module *module) {
    try {
      lower(module);
    } catch (const DiagnosticError &error) {
      return error.diagnostic;
    }
    ADD_FAILURE() << "the program was lowered";
    return {};
  }

  static std::vector<Scalar> numbers(std::size_t n, const ast::Type &type = ast::Scalar::I32, int seed = 1) {
    std::vector<Scalar> out;
    std::uint32_t x = static_cast<std::uint32_t>(seed) * 2654435761u + 12345;
    for (std::size_t i = 0; i < n; ++i) {
      x = x * 1664525u + 1013904223u;
      int v = static_cast<int>(x >> 20) % 200 - 100;
      out.push_back(type.isFloating() ? real(type, v * 0.5) : integer(type, v));
    }
    return out;
  }
  static Value vector(std::size_t n, const ast::Type &type = ast::Scalar::I32, int seed = 1) {
    return arrayValue(numbers(n, type, seed), {static_cast<std::int64_t>(n)});
  }
  static Value matrix(std::int64_t rows, std::int64_t cols, const ast::Type &type = ast::Scalar::I32, int seed = 1) {
    return arrayValue(numbers(static_cast<std::size_t>(rows * cols), type, seed), {rows, cols});
  }
  static Value i32(int v) { return scalarValue(integer(ast::Scalar::I32, v)); }

  ast::Arena arena_;
  DiagnosticEngine diags_;
  hardware::Target target_;
  Facts facts_;
  static inline PluginLoader *loader_ = nullptr; // outlives what the plugins registered
  static inline Registry *registry_ = nullptr;
};

} // namespace tangram::test
