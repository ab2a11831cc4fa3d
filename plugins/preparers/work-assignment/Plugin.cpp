#include "Assigner.h"

#include "tangram/ast/Mutator.h"
#include "tangram/pass/LaunchPass.h"
#include "tangram/plugin/Plugin.h"

namespace {
using namespace tangram;

class Launches final : public ast::Mutator {
public:
  Launches(PassContext &context, const hardware::LaunchLevels &levels, const ast::Kernel &kernel)
      : Mutator(context.arena), assigner_(context, levels, kernel) {}

private:
  const ast::Node *mutateLaunch(const ast::Launch *launch) override { return assigner_.launch(launch); }
  assignment::Assigner assigner_;
};

class WorkAssignment final : public LaunchPass {
  const ast::Kernel *kernel(const ast::Kernel *kernel, PassContext &context,
                            const hardware::LaunchLevels &levels) override {
    return Launches(context, levels, *kernel)(kernel);
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
