#include "Barriers.h"

#include "tangram/pass/LaunchPass.h"
#include "tangram/pass/Property.h"
#include "tangram/plugin/Plugin.h"

namespace {
using namespace tangram;

class BarrierInsertion final : public LaunchPass {
  const ast::Kernel *kernel(const ast::Kernel *kernel, PassContext &context,
                            const hardware::LaunchLevels &levels) override {
    ast::Names names;
    names.reserveAll(kernel);
    std::set<std::string> frozen;
    const ast::Kernel *result = withLaunches(context.arena, kernel, [&](const ast::Launch *launch) {
      barriers::Barriers barriers(context, levels.ofGroups(launch->threads), *kernel, names, *launch);
      const ast::Launch *changed = barriers.run();
      frozen.merge(barriers.frozen());
      return changed;
    });
    return ast::freeze(context.arena, result, frozen);
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
  registry.properties.add(
      property("synchronised", "barriers stand where workers meet",
               [](const ast::Module &module, const hardware::Target &target) {
                 Violations found;
                 const std::optional<hardware::LaunchLevels> levels = hardware::launchLevels(target.hardware);
                 for (const ast::Kernel *kernel : module.kernels)
                   ast::walk(kernel, [&](const ast::Launch &launch) {
                     collect<ast::Sync>(found, launch.body, [&](const ast::Sync &s) {
                       return levels && s.level != levels->group->name && !levels->subgroup(s.level);
                     });
                   });
                 return found;
               }));
}
