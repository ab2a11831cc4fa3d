// Index calculation (Table 7.1): containers become pointers, and subscripts linear.
#include "Linearizer.h"
#include "tangram/pass/Pass.h"
#include "tangram/pass/Property.h"
#include "tangram/plugin/Plugin.h"

namespace {
using namespace tangram;

class IndexCalculation final : public Pass {
  const ast::Module *run(const ast::Module *module, PassContext &context) override {
    if (module->kernels.empty()) return module;
    Linearizer linearizer(context.arena, *module);
    return context.arena.derive(module, [&](ast::Module &copy) {
      for (const ast::Kernel *&kernel : copy.kernels) kernel = linearizer.kernel(kernel);
      for (const ast::Function *&function : copy.functions) function = linearizer.function(function);
    });
  }
};

} // namespace

TANGRAM_PLUGIN("index-calculation", "0.1", "lowers containers to pointers and linear indices") {
  PassDescriptor pass;
  pass.name = "index-calculation";
  pass.summary = "lowers containers and views to pointers, sizes and strides, and subscripts to linear indices";
  pass.kind = PassKind::Preparer;
  pass.before = "view part: int = in + begin, size n, stride s\nsum += part[i]";
  pass.after = "const int *const part = in + begin;\nsum += part[i * s]";
  pass.requires_ = {"flat"};
  pass.establishes = {"linear"};
  pass.create = [](const OptionValues &) { return std::make_unique<IndexCalculation>(); };
  registry.passes.add(std::move(pass));
  registry.properties.add(property("linear", "containers are pointers, subscripts linear",
                                   [](const ast::Module &module, const hardware::Target &target) {
                                     Violations found = nodesOf<ast::View, ast::Size, ast::Pitch>(module, target);
                                     for (const ast::Kernel *kernel : module.kernels)
                                       collect<ast::Param>(found, kernel,
                                                           [](const ast::Param &p) { return p.type.isArray(); });
                                     return found;
                                   }));
}
