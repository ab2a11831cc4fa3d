#include "Assigner.h"

#include "tangram/pass/LaunchPass.h"
#include "tangram/pass/Property.h"
#include "tangram/plugin/Plugin.h"

namespace {
using namespace tangram;

class WorkAssignment final : public LaunchPass {
  const ast::Kernel *kernel(const ast::Kernel *kernel, PassContext &context,
                            const hardware::LaunchLevels &levels) override {
    assignment::Assigner assigner(context, levels, *kernel);
    return withLaunches(context.arena, kernel, [&](const ast::Launch *launch) { return assigner.launch(launch); });
  }
};

/// Changes of what workers share that all of them would make.
Violations changedByAll(const ast::Module &module, const hardware::Target &target) {
  Violations found;
  const std::optional<hardware::LaunchLevels> levels = hardware::launchLevels(target.hardware);
  if (!levels) return found;
  auto change = [&](const std::set<std::string> &own, const ast::Expr *place, const ast::Expr &by) {
    const auto *element = ast::dyn<ast::Subscript>(place);
    const auto *base = element ? ast::dyn<ast::VarRef>(element->base) : nullptr;
    if (base && !own.count(base->name))
      found.push_back({&by, fmt::format("all workers of a unit change an element of '{}'", base->name)});
  };
  for (const ast::Kernel *kernel : module.kernels)
    ast::walk(kernel, [&](const ast::Launch &launch) {
      std::set<std::string> own; // arrays of each worker
      ast::walk(
          launch.body, [&](const ast::Declare &d) { own.insert(d.name); },
          [&](const ast::Alloc &a) {
            if (levels->workers(a.level) == 1) own.insert(a.name);
          },
          [&](const ast::View &v) {
            if (own.count(v.base)) own.insert(v.name);
          });
      ast::walk(
          launch.body, [](const ast::Single &) { return ast::WalkResult::Skip; },
          [](const ast::Cooperate &) { return ast::WalkResult::Skip; },
          [](const ast::Loop &loop) {
            return loop.policy == ast::Policy::Distribute ? ast::WalkResult::Skip : ast::WalkResult::Advance;
          },
          [&](const ast::Assign &a) { change(own, a.target, a); },
          [&](const ast::Atomic &a) { change(own, a.target, a); });
    });
  return found;
}

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
  registry.properties.add(property("assigned", "what a unit does once is done by one of its workers", changedByAll));
}
