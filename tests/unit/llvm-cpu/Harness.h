// Makes libraries of small programs by the backend llvm-cpu, and calls them.
#pragma once

#include "../passes/Bytes.h"

#include "tangram/ast/Text.h"
#include "tangram/ast/Verify.h"
#include "tangram/pass/Pass.h"
#include "tangram/plugin/Loader.h"
#include "tangram/verify/KernelLibrary.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tangram::test {

using ast::ReduceOp;

class LlvmCpu : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    if (registry_) return;
    loader_ = new PluginLoader;
    registry_ = new Registry;
    loader_->load(std::string(TANGRAM_BINARY_DIR) + "/lib/tangram/plugins/libtangram-llvm-cpu.so", *registry_);
  }
  LlvmCpu() {
    arena = &arena_;
    target_.name = "test";
    hardware::Level level;
    level.name = "process";
    level.scalar = true;
    target_.hardware.name = "test";
    target_.hardware.levels.push_back(level);
    level.name = "thread";
    target_.hardware.levels[0].subordinate = "thread";
    target_.hardware.levels[0].sync = hardware::SyncKind::Join;
    level.workers.count = 3;
    target_.hardware.levels.push_back(level);
    std::string pattern = (std::filesystem::temp_directory_path() / "tangram-llvm-cpu-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~LlvmCpu() override { std::filesystem::remove_all(folder_); }

  /// A kernel `k` of pointers and scalars.
  const ast::Module *kernel(Ps params, Ss body, std::vector<const ast::Function *> functions = {},
                            std::vector<const ast::Expr *> conditions = {}) {
    const ast::Kernel *made =
        make<ast::Kernel>(std::string("k"), std::string("k"), std::string("plan"), V, params, conditions,
                          std::vector<const ast::Param *>{}, std::vector<const ast::Expr *>{}, block(body));
    Ps given; // pointers are given back, as scalars are that a kernel writes
    for (const ast::Param *p : params)
      given.push_back(make<ast::Param>(p->name, p->type.isPointer() ? p->type.element() : p->type,
                                       p->type.isPointer() ? Access::InOut : Access::In));
    const ast::Spectrum *spectrum = make<ast::Spectrum>(std::string("k"), V, given, std::vector<const ast::Expr *>{},
                                                        std::vector<const ast::Codelet *>{});
    const ast::Module *module =
        make<ast::Module>(std::vector<const ast::Struct *>{}, functions, std::vector<const ast::Spectrum *>{spectrum},
                          std::vector<const ast::Kernel *>{made});
    for (const ast::Violation &v : ast::verify(*module)) ADD_FAILURE() << v.message;
    return module;
  }

  runtime::KernelLibrary library(const ast::Module *module, unsigned level) {
    const BackendDescriptor &backend = registry_->backends.get("llvm-cpu");
    OptionValues given;
    given.set("opt", std::int64_t{level});
    given.set("fma", false);
    OptionValues options = checkOptions(backend.options, given, "llvm-cpu");
    std::string stem = "test" + std::to_string(count_++);
    EmitContext emitting{target_, options, diags_, stem};
    std::vector<OutputFile> files = backend.create(options)->emit(*module, emitting);
    BuildContext building{target_, options, diags_, folder_, stem, [] { return false; }};
    return runtime::KernelLibrary(backend.create(options)->build(files, building));
  }
  /// Calls `k`; the status, with the message in `said`.
  int call(const runtime::KernelLibrary &library, std::vector<void *> args) {
    tangram_error error{};
    int status = library.get("k").invoke(args.data(), &error);
    EXPECT_EQ(error.status, status);
    said = error.message;
    return status;
  }

  std::string said;
  ast::Arena arena_;
  DiagnosticEngine diags_;
  hardware::Target target_;
  std::filesystem::path folder_;
  static inline unsigned count_ = 0;             // libraries are never unloaded: each has a name of its own
  static inline PluginLoader *loader_ = nullptr; // outlives what the plugins registered
  static inline Registry *registry_ = nullptr;
};

} // namespace tangram::test
