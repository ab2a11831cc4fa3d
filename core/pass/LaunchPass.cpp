#include "tangram/pass/LaunchPass.h"

namespace tangram {
namespace {
constexpr DiagnosticKind kNoLaunch{"pass.no-launch-levels", DiagnosticClass::User,
                                   "target '{}' has no level that kernels are launched on",
                                   "its outermost level needs 'sync: relaunch' over a level with 'sync: barrier', or "
                                   "leave the passes that need it out"};
} // namespace

const ast::Module *LaunchPass::run(const ast::Module *module, PassContext &context) {
  std::optional<hardware::LaunchLevels> levels = hardware::launchLevels(context.target.hardware);
  if (!levels) fail(kNoLaunch, context.target.hardware.top().range, context.target.name);
  start(*module);
  return context.arena.derive(module, [&](ast::Module &copy) {
    for (const ast::Kernel *&each : copy.kernels) each = kernel(each, context, *levels);
  });
}

} // namespace tangram
