#include "Placement.h"

#include "tangram/ast/Mutator.h"
#include "tangram/pass/LaunchPass.h"
#include "tangram/pass/Property.h"
#include "tangram/plugin/Plugin.h"

namespace {
using namespace tangram;

class Launches final : public ast::Mutator {
public:
  Launches(PassContext &context, const hardware::LaunchLevels &levels, const ast::Kernel &kernel, bool exchanges)
      : Mutator(context.arena), kernel_(kernel), placement_(context, levels, kernel, exchanges) {}

  const ast::Kernel *run() {
    const ast::Kernel *placed = (*this)(&kernel_);
    if (!placement_.conditions().empty())
      placed = arena().derive(placed, [&](ast::Kernel &copy) {
        copy.conditions.insert(copy.conditions.end(), placement_.conditions().begin(), placement_.conditions().end());
      });
    return ast::freeze(arena(), placed, placement_.frozen());
  }

private:
  const ast::Node *mutateLaunch(const ast::Launch *launch) override { return placement_.run(launch); }
  const ast::Node *mutateAlloc(const ast::Alloc *a) override {
    return arena().derive(a, [](ast::Alloc &copy) { copy.memory = "global"; });
  }
  const ast::Kernel &kernel_;
  placement::Placement placement_;
};

class DataPlacement final : public LaunchPass {
public:
  explicit DataPlacement(bool exchanges) : exchanges_(exchanges) {}

private:
  const ast::Kernel *kernel(const ast::Kernel *kernel, PassContext &context,
                            const hardware::LaunchLevels &levels) override {
    return Launches(context, levels, *kernel, exchanges_).run();
  }
  bool exchanges_;
};

} // namespace

TANGRAM_PLUGIN("data-placement", "1.0", "decides where data lies") {
  PassDescriptor pass;
  pass.name = "data-placement";
  pass.summary = "Puts what workers share into scratchpad memory, what is their own into registers, the rest elsewhere";
  pass.kind = PassKind::Optimizer;
  pass.before = "alloc r: i32[256] at block; cooperate lane < 256 { shared tmp: i32[256]; ... }";
  pass.after = "alloc r: i32[256] at block in scratchpad; alloc tmp: i32[256] at block in scratchpad; cooperate ...";
  pass.requires_ = {"launches", "assigned", "scalar-specials"};
  pass.excludes = {"spmd"};
  pass.establishes = {"placed"};
  pass.options = {
      {"checked",
       "Whether lanes leave in memory what they could exchange in registers: a lane that is not there would "
       "not be told; --checked sets it.",
       false,
       {},
       {},
       {}}};
  pass.create = [](const OptionValues &options) { return std::make_unique<DataPlacement>(!options.flag("checked")); };
  registry.passes.add(std::move(pass));
  registry.properties.add(property(
      "placed", "every array of a launch has a memory", [](const ast::Module &module, const hardware::Target &) {
        Violations found;
        for (const ast::Kernel *kernel : module.kernels)
          ast::walk(kernel, [&](const ast::Launch &launch) {
            collect<ast::Alloc>(found, launch.body, [](const ast::Alloc &a) { return a.memory.empty(); });
            collect<ast::Declare>(found, launch.body, [](const ast::Declare &d) { return d.shared; });
          });
        return found;
      }));
}
