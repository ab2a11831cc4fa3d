// Kernel splitting: a grid-wide synchronisation ends one kernel and begins the next (dissertation, sections 5.4, 7.2).
#include "Splitter.h"

#include "tangram/plugin/Plugin.h"

namespace {
using namespace tangram;

constexpr DiagnosticKind kNoLaunch{
    "kernel-splitting.levels", DiagnosticClass::User, "target '{}' has no level that kernels are launched on",
    "its outermost level needs 'sync: relaunch' over a level with 'sync: barrier', or leave this pass out"};

class KernelSplitting final : public Pass {
  const ast::Module *run(const ast::Module *module, PassContext &context) override {
    std::optional<hardware::LaunchLevels> levels = hardware::launchLevels(context.target.hardware);
    if (!levels) fail(kNoLaunch, {}, context.target.name);
    return context.arena.derive(module, [&](ast::Module &copy) {
      for (const ast::Kernel *&kernel : copy.kernels) kernel = splitting::Splitter(context, *levels, *kernel).run();
    });
  }
};

} // namespace

TANGRAM_PLUGIN("kernel-splitting", "1.0", "splits kernels into the host's part and launches") {
  PassDescriptor pass;
  pass.name = "kernel-splitting";
  pass.summary = "Splits a kernel where all of the device must wait, into launches and what the host does around them";
  pass.kind = PassKind::Preparer;
  pass.before = "loop j < p distribute at grid { r[j] = f(j) }; sync grid; s = 0; for (i < p) s += r[i]; result = s";
  pass.after = "launch p groups { r[j] = f(j) }; launch 1 group { s = 0; for (i < p) s += r[i]; result = s }";
  pass.requires_ = {"flat", "no-returns"};
  pass.establishes = {"launches"};
  pass.create = [](const OptionValues &) { return std::make_unique<KernelSplitting>(); };
  registry.passes.add(std::move(pass));
}
