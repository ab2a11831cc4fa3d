#include "Assigner.h"

#include "tangram/ast/Mutator.h"
#include "tangram/plugin/Plugin.h"

namespace {
using namespace tangram;

constexpr DiagnosticKind kNoLaunch{
    "work-assignment.levels", DiagnosticClass::User, "target '{}' has no level that kernels are launched on",
    "its outermost level needs 'sync: relaunch' over a level with 'sync: barrier', or leave this pass out"};

class Launches final : public ast::Mutator {
public:
  Launches(PassContext &context, const hardware::LaunchLevels &levels, const ast::Kernel &kernel)
      : Mutator(context.arena), assigner_(context, levels, kernel) {}

private:
  const ast::Node *mutateLaunch(const ast::Launch *launch) override { return assigner_.launch(launch); }
  assignment::Assigner assigner_;
};

class WorkAssignment final : public Pass {
  const ast::Module *run(const ast::Module *module, PassContext &context) override {
    std::optional<hardware::LaunchLevels> levels = hardware::launchLevels(context.target.hardware);
    if (!levels) fail(kNoLaunch, {}, context.target.name);
    return context.arena.derive(module, [&](ast::Module &copy) {
      for (const ast::Kernel *&kernel : copy.kernels) kernel = Launches(context, *levels, *kernel)(kernel);
    });
  }
};

} // namespace

TANGRAM_PLUGIN("work-assignment", "1.0", "decides who does what in a launch") {
  PassDescriptor pass;
  pass.name = "work-assignment";
  pass.summary = "Marks what one worker of many does alone, and hands what comes of it to the others";
  pass.kind = PassKind::Preparer;
  pass.before = "at block: s = 0; for (i < p) s += r[i]; result = s";
  pass.after = "at block, all workers: s = 0; for (i < p) s += r[i]; single { result = s }";
  pass.requires_ = {"launches"};
  pass.establishes = {"assigned"};
  pass.create = [](const OptionValues &) { return std::make_unique<WorkAssignment>(); };
  registry.passes.add(std::move(pass));
}
