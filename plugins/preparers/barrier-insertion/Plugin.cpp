#include "Barriers.h"

#include "tangram/ast/Mutator.h"
#include "tangram/plugin/Plugin.h"

namespace {
using namespace tangram;

constexpr DiagnosticKind kNoLaunch{
    "barrier-insertion.levels", DiagnosticClass::User, "target '{}' has no level that kernels are launched on",
    "its outermost level needs 'sync: relaunch' over a level with 'sync: barrier', or leave this pass out"};

class Launches final : public ast::Mutator {
public:
  Launches(PassContext &context, const hardware::LaunchLevels &levels, const ast::Kernel &kernel)
      : Mutator(context.arena), context_(context), levels_(levels), kernel_(kernel) {
    names_.reserveAll(&kernel);
  }

private:
  const ast::Node *mutateLaunch(const ast::Launch *launch) override {
    return barriers::Barriers(context_, levels_, kernel_, names_, *launch).run();
  }
  PassContext &context_;
  const hardware::LaunchLevels &levels_;
  const ast::Kernel &kernel_;
  ast::Names names_;
};

class BarrierInsertion final : public Pass {
  const ast::Module *run(const ast::Module *module, PassContext &context) override {
    std::optional<hardware::LaunchLevels> levels = hardware::launchLevels(context.target.hardware);
    if (!levels) fail(kNoLaunch, {}, context.target.name);
    return context.arena.derive(module, [&](ast::Module &copy) {
      for (const ast::Kernel *&kernel : copy.kernels) kernel = Launches(context, *levels, *kernel)(kernel);
    });
  }
};

} // namespace

TANGRAM_PLUGIN("barrier-insertion", "1.0", "puts barriers where workers must wait for each other") {
  PassDescriptor pass;
  pass.name = "barrier-insertion";
  pass.summary = "Puts barriers where a worker must see what another did, and makes lanes that part get to all of them";
  pass.kind = PassKind::Preparer;
  pass.before = "cooperate lane: tmp[lane] = x; if (lane >= s) tmp[lane] += tmp[lane - s]; r = tmp[n - 1]";
  pass.after = "cooperate lane: tmp[lane] = x; sync; taken = lane >= s; if (taken) next = tmp[lane] + tmp[lane - s]; "
               "sync; if (taken) tmp[lane] = next; sync; r = tmp[n - 1]";
  pass.requires_ = {"launches", "assigned", "placed", "scalar-specials"};
  pass.establishes = {"synchronised"};
  pass.create = [](const OptionValues &) { return std::make_unique<BarrierInsertion>(); };
  registry.passes.add(std::move(pass));
}
