#include "tangram/pass/LaunchPass.h"

#include "tangram/ast/Mutator.h"

namespace tangram {
namespace {
constexpr DiagnosticKind kNoLaunch{"pass.no-launch-levels", DiagnosticClass::User,
                                   "target '{}' has no level that kernels are launched on",
                                   "its outermost level needs 'sync: relaunch' over a level with 'sync: barrier', or "
                                   "leave the passes that need it out"};

class ChangedLaunches final : public ast::Mutator {
public:
  ChangedLaunches(ast::Arena &arena, const std::function<const ast::Launch *(const ast::Launch *)> &change)
      : Mutator(arena), change_(change) {}

private:
  const ast::Node *mutateLaunch(const ast::Launch *launch) override { return change_(launch); }
  const std::function<const ast::Launch *(const ast::Launch *)> &change_;
};
} // namespace

const ast::Kernel *withLaunches(ast::Arena &arena, const ast::Kernel *kernel,
                                const std::function<const ast::Launch *(const ast::Launch *)> &change) {
  return ChangedLaunches(arena, change)(kernel);
}

const ast::Module *LaunchPass::run(const ast::Module *module, PassContext &context) {
  std::optional<hardware::LaunchLevels> levels = hardware::launchLevels(context.target.hardware);
  if (!levels) fail(kNoLaunch, context.target.hardware.top().range, context.target.name);
  start(*module);
  return context.arena.derive(module, [&](ast::Module &copy) {
    for (const ast::Kernel *&each : copy.kernels) each = kernel(each, context, *levels);
  });
}

} // namespace tangram
