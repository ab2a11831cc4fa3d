// The pass `loop-normalization`: loops whose trip count is a number count from zero to it.
#pragma once

#include "tangram/pass/KernelPass.h"

namespace tangram::loop_normalization {

class LoopNormalization final : public KernelPass {
  const ast::Kernel *kernel(const ast::Kernel *kernel, const ast::Module &module, PassContext &context) override;
};

} // namespace tangram::loop_normalization
