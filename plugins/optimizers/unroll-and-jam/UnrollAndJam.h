// The pass `unroll-and-jam`: several iterations of a map run side by side, which read the same data, or go through
// recurrences that wait for their own last value alone.
#pragma once

#include "tangram/pass/KernelPass.h"

namespace tangram::jam {

class UnrollAndJam final : public KernelPass {
public:
  UnrollAndJam(unsigned factor, unsigned chains, unsigned registers)
      : factor_(factor), chains_(chains), registers_(registers) {}
  const ast::Kernel *kernel(const ast::Kernel *kernel, const ast::Module &module, PassContext &context) override;

private:
  unsigned factor_, chains_, registers_;
};

} // namespace tangram::jam
