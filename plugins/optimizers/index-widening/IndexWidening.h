// The pass `index-widening`: indices that are computed in 32 bits from a loop's 64-bit counter are computed in 64 bits.
#pragma once

#include "tangram/pass/KernelPass.h"

namespace tangram::index_widening {

class IndexWidening final : public KernelPass {
  const ast::Kernel *kernel(const ast::Kernel *kernel, const ast::Module &module, PassContext &context) override;
};

} // namespace tangram::index_widening
