// What passes over launches share: the levels that kernels are launched on, and an error where a target has none.
#pragma once

#include "tangram/hardware/Launch.h"
#include "tangram/pass/Pass.h"

namespace tangram {

/// The kernel with each of its launches as `change` makes it; the same kernel where none changes.
const ast::Kernel *withLaunches(ast::Arena &arena, const ast::Kernel *kernel,
                                const std::function<const ast::Launch *(const ast::Launch *)> &change);

class LaunchPass : public Pass {
public:
  const ast::Module *run(const ast::Module *module, PassContext &context) final;

protected:
  /// Before the kernels of a module.
  virtual void start(const ast::Module &) {}
  virtual const ast::Kernel *kernel(const ast::Kernel *kernel, PassContext &context,
                                    const hardware::LaunchLevels &levels) = 0;
};

} // namespace tangram
