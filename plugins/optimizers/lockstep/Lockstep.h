// The pass `lockstep`: what runs on the lanes of a level with vector capability becomes vector code.
#pragma once

#include "tangram/pass/KernelPass.h"

namespace tangram::lockstep {

class LockstepPass final : public KernelPass {
public:
  explicit LockstepPass(bool warns) : warns_(warns) {}
  const ast::Kernel *kernel(const ast::Kernel *kernel, const ast::Module &module, PassContext &context) override;

private:
  bool warns_;
};

} // namespace tangram::lockstep
