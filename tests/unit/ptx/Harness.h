// Writes the device's code of small programs, to be run on this machine.
#pragma once

#include "../passes/Bytes.h"
#include "HostRun.h"

#include "tangram/ast/Text.h"
#include "tangram/ast/Verify.h"
#include "tangram/pass/Pass.h"
#include "tangram/plugin/Loader.h"

#include <gtest/gtest.h>

namespace tangram::test {

inline hardware::Hardware device(unsigned warps) {
  hardware::Hardware h;
  h.name = "device";
  auto level = [&](const char *name, const char *below, const char *sync, unsigned workers) {
    hardware::Level l;
    l.name = name;
    l.scalar = true;
    l.subordinate = below;
    l.sync = hardware::syncNamed(*sync ? sync : "none").value();
    l.shuffle = l.sync == hardware::SyncKind::Warp;
    l.workers.count = workers;
    h.levels.push_back(l);
  };
  level("grid", "block", "relaunch", 1);
  level("block", "warp", "barrier", 4);
  level("warp", "thread", "warp", warps);
  level("thread", "", "", 32);
  return h;
}

class Ptx : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    if (registry_) return;
    loader_ = new PluginLoader;
    registry_ = new Registry;
    loader_->load(std::string(TANGRAM_BINARY_DIR) + "/lib/tangram/plugins/libtangram-ptx.so", *registry_);
  }
  Ptx() {
    arena = &arena_;
    target_.name = "test";
    target_.hardware = device(2);
  }

  /// A kernel of one launch.
  const ast::Module *launching(Ps params, Ss body, unsigned threads = 64,
                               std::vector<const ast::Function *> functions = {}) {
    std::vector<const ast::Expr *> args;
    for (const ast::Param *p : params) args.push_back(var(p->name, p->type).e);
    S launch = make<ast::Launch>(std::string("k"), std::string("grid"), lit(U64, 1).e, std::int64_t{threads},
                                 std::int64_t{0}, params, args, block(body));
    const ast::Kernel *kernel = make<ast::Kernel>(std::string("k"), std::string("k"), std::string("plan"), V, params,
                                                  std::vector<const ast::Expr *>{}, std::vector<const ast::Param *>{},
                                                  std::vector<const ast::Expr *>{}, block({launch}));
    const ast::Spectrum *spectrum =
        make<ast::Spectrum>(std::string("k"), V, spectrumParams(params), std::vector<const ast::Expr *>{},
                            std::vector<const ast::Codelet *>{});
    const ast::Module *module =
        make<ast::Module>(std::vector<const ast::Struct *>{}, functions, std::vector<const ast::Spectrum *>{spectrum},
                          std::vector<const ast::Kernel *>{kernel});
    for (const ast::Violation &v : ast::verify(*module)) ADD_FAILURE() << v.message;
    return module;
  }
  /// Pointers are given back, as scalars are that a kernel writes.
  static Ps spectrumParams(const Ps &params) {
    Ps out;
    for (const ast::Param *p : params)
      out.push_back(make<ast::Param>(p->name, p->type.isPointer() ? p->type.element() : p->type,
                                     p->type.isPointer() ? Access::InOut : Access::In));
    return out;
  }

  std::string ir(const ast::Module *module, const char *when) {
    const BackendDescriptor &backend = registry_->backends.get("ptx");
    OptionValues given;
    given.set("ir", std::string(when));
    OptionValues options = checkOptions(backend.options, given, "ptx");
    EmitContext context{target_, options, diags_, "test"};
    for (const OutputFile &file : backend.create(options)->emit(*module, context))
      if (file.name == "test.ll") return file.text;
    throw std::runtime_error("no IR was written");
  }

  ast::Arena arena_;
  DiagnosticEngine diags_;
  hardware::Target target_;
  static inline PluginLoader *loader_ = nullptr; // outlives what the plugins registered
  static inline Registry *registry_ = nullptr;
};

} // namespace tangram::test
