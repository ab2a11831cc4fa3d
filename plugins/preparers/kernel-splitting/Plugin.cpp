// Kernel splitting: a grid-wide synchronisation ends one kernel and begins the next (dissertation, sections 5.4, 7.2).
#include "Splitter.h"

#include "tangram/pass/LaunchPass.h"
#include "tangram/plugin/Plugin.h"

namespace {
using namespace tangram;

class KernelSplitting final : public LaunchPass {
  const ast::Kernel *kernel(const ast::Kernel *kernel, PassContext &context,
                            const hardware::LaunchLevels &levels) override {
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
}
