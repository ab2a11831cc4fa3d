#include "Guard.h"

#include "tangram/pass/Property.h"
#include "tangram/plugin/Plugin.h"

namespace {
using namespace tangram;

class BoundsChecks final : public Pass {
public:
  explicit BoundsChecks(bool checked) : checked_(checked) {}
  const ast::Module *run(const ast::Module *module, PassContext &context) override {
    if (!checked_) return module;
    checks::Sites sites(*module);
    std::set<std::string> functions = checks::functionsWithAccesses(*module);
    return context.arena.derive(module, [&](ast::Module &copy) {
      for (const ast::Function *&f : copy.functions) f = checks::Guard(context, *module, functions, sites).function(f);
      for (const ast::Kernel *&k : copy.kernels) k = checks::Guard(context, *module, functions, sites).kernel(k);
    });
  }

private:
  bool checked_;
};

/// Without the option `checked` there is no record, and nothing to say.
Violations unrecorded(const ast::Module &module, const hardware::Target &) {
  Violations found;
  for (const ast::Kernel *kernel : module.kernels)
    if (ast::contains<ast::Report>(kernel))
      collect<ast::Check>(found, kernel, [](const ast::Check &c) { return !c.record; });
  return found;
}

} // namespace

TANGRAM_PLUGIN("bounds-checks", "1.0", "has accesses out of range reported, and not done") {
  PassDescriptor pass;
  pass.name = "bounds-checks";
  pass.summary = "An access happens only where its index is in range; the first that is not becomes the kernel's error";
  pass.kind = PassKind::Preparer;
  pass.before = "y[i] = x[column[i]]";
  pass.after = "alloc faults: u32[5]; faults[0] = 0\n"
               "if (check(i < size(y))) y[i] = (held = check(i < size(column)) ? column[i] : 0, "
               "check(held < size(x))) ? x[held] : 0\n"
               "report faults: \"a.tg.cpp:3:10: ... reads element {index} of 'x', which has {bound}\", ...";
  pass.requires_ = {"flat", "no-returns", "scalar-specials"};
  pass.excludes = {"linear"};
  pass.establishes = {"checked"};
  pass.options = {{"checked", "Whether anything is checked; --checked sets it.", false, {}, {}, {}}};
  pass.create = [](const OptionValues &options) { return std::make_unique<BoundsChecks>(options.flag("checked")); };
  registry.passes.add(std::move(pass));
  registry.properties.add(property("checked", "every check keeps a record that is reported", unrecorded));
}
