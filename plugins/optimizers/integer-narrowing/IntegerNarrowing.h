// The pass `integer-narrowing`: what lanes of vectors compute of numbers of one or two bytes is computed in as many.
#pragma once

#include "tangram/pass/KernelPass.h"

namespace tangram::integer_narrowing {

class IntegerNarrowing final : public KernelPass {
  const ast::Kernel *kernel(const ast::Kernel *kernel, const ast::Module &module, PassContext &context) override;
};

} // namespace tangram::integer_narrowing
