// Kernel splitting: a grid-wide synchronisation ends one kernel and begins the next (dissertation, sections 5.4, 7.2).
#include "Splitter.h"

#include "tangram/ast/Mutator.h"
#include "tangram/pass/LaunchPass.h"
#include "tangram/pass/Property.h"
#include "tangram/plugin/Plugin.h"

namespace {
using namespace tangram;

/// A launch begins when the one before it is done, and in one of a single group barriers are put later.
class WithoutSyncs final : public ast::Mutator {
public:
  WithoutSyncs(ast::Arena &arena, const std::string &level) : Mutator(arena), level_(level) {}

private:
  const ast::Node *mutateSync(const ast::Sync *sync) override { return sync->level == level_ ? nullptr : sync; }
  const std::string &level_;
};

class KernelSplitting final : public LaunchPass {
  const ast::Kernel *kernel(const ast::Kernel *kernel, PassContext &context,
                            const hardware::LaunchLevels &levels) override {
    kernel = WithoutSyncs(context.arena, levels.device->name).mutateAs(kernel);
    return splitting::Splitter(context, levels, *kernel).run();
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
  registry.properties.add(property("launches", "what runs on the device is in launches",
                                   [](const ast::Module &module, const hardware::Target &target) {
                                     Violations found;
                                     const std::optional<hardware::LaunchLevels> levels =
                                         hardware::launchLevels(target.hardware);
                                     for (const ast::Kernel *kernel : module.kernels)
                                       collect<ast::Sync>(found, kernel, [&](const ast::Sync &s) {
                                         return levels && s.level == levels->device->name;
                                       });
                                     return found;
                                   }));
}
