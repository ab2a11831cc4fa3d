// The pass `unroll-and-jam`: several iterations of a map that read the same data do so together.
#pragma once

#include "tangram/pass/KernelPass.h"

namespace tangram::jam {

class UnrollAndJam final : public KernelPass {
public:
  UnrollAndJam(unsigned factor, unsigned registers) : factor_(factor), registers_(registers) {}
  const ast::Kernel *kernel(const ast::Kernel *kernel, const ast::Module &module, PassContext &context) override;

private:
  unsigned factor_, registers_;
};

} // namespace tangram::jam
