// Atomic operations on memory that nobody else can touch meanwhile become plain ones: a lock costs as much as tens of
// additions, and C++ compilers leave it where it is.
#pragma once

#include "tangram/pass/KernelPass.h"

namespace tangram::private_atomics {

class PrivateAtomics final : public KernelPass {
  const ast::Kernel *kernel(const ast::Kernel *kernel, const ast::Module &module, PassContext &context) override;
};

} // namespace tangram::private_atomics
