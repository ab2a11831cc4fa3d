#include "Mapper.h"

#include "tangram/plugin/Plugin.h"

namespace {
using namespace tangram;

constexpr DiagnosticKind kNoLaunch{
    "worker-mapping.levels", DiagnosticClass::User, "target '{}' has no level that kernels are launched on",
    "its outermost level needs 'sync: relaunch' over a level with 'sync: barrier', or leave this pass out"};

class WorkerMapping final : public Pass {
  const ast::Module *run(const ast::Module *module, PassContext &context) override {
    std::optional<hardware::LaunchLevels> levels = hardware::launchLevels(context.target.hardware);
    if (!levels) fail(kNoLaunch, {}, context.target.name);
    return context.arena.derive(module, [&](ast::Module &copy) {
      for (const ast::Kernel *&kernel : copy.kernels) kernel = mapping::Mapper(context, *levels, *kernel).run(kernel);
    });
  }
};

} // namespace

TANGRAM_PLUGIN("worker-mapping", "1.0", "writes launches as what one worker does") {
  PassDescriptor pass;
  pass.name = "worker-mapping";
  pass.summary = "Writes distributed maps, cooperating lanes and what is done once as the code of one worker";
  pass.kind = PassKind::Preparer;
  pass.before = "loop k < n distribute at block { r[k] = f(k) }; sync block; single at block { x[0] = r[0] }";
  pass.after = "for (k = worker; k < n; k += 256) r[k] = f(k); sync block; if (worker == 0) x[0] = r[0]";
  pass.requires_ = {"launches", "assigned", "placed", "synchronised"};
  pass.establishes = {"spmd"};
  pass.create = [](const OptionValues &) { return std::make_unique<WorkerMapping>(); };
  registry.passes.add(std::move(pass));
}
