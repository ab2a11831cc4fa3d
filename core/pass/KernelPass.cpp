#include "tangram/pass/KernelPass.h"

namespace tangram {

const ast::Module *KernelPass::run(const ast::Module *module, PassContext &context) {
  std::vector<const ast::Kernel *> kernels;
  for (const ast::Kernel *each : module->kernels) kernels.push_back(kernel(each, *module, context));
  if (kernels == module->kernels) return module;
  return context.arena.derive(module, [&](ast::Module &copy) { copy.kernels = std::move(kernels); });
}

} // namespace tangram
