// What passes share that change one kernel after the other.
#pragma once

#include "tangram/pass/Pass.h"

namespace tangram {

class KernelPass : public Pass {
public:
  /// The same module where no kernel changes.
  const ast::Module *run(const ast::Module *module, PassContext &context) final;

protected:
  /// The kernel, changed or not.
  virtual const ast::Kernel *kernel(const ast::Kernel *kernel, const ast::Module &module, PassContext &context) = 0;
};

} // namespace tangram
