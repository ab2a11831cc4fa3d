// The passes `register-promotion` and `vector-promotion`.
#pragma once

#include "tangram/pass/KernelPass.h"
#include "tangram/pass/LaunchPass.h"

namespace tangram::promotion {

class RegisterPromotion final : public LaunchPass {
public:
  explicit RegisterPromotion(std::uint64_t registers) : registers_(registers) {}

private:
  const ast::Kernel *kernel(const ast::Kernel *kernel, PassContext &context,
                            const hardware::LaunchLevels &levels) override;
  std::uint64_t registers_;
};

/// The same for lanes of a processor's vectors, of what does not lie side by side: gathered once, and loaded as vectors
/// from then on.
class VectorPromotion final : public KernelPass {
public:
  explicit VectorPromotion(std::uint64_t registers) : registers_(registers) {}
  const ast::Kernel *kernel(const ast::Kernel *kernel, const ast::Module &module, PassContext &context) override;

private:
  std::uint64_t registers_;
};

} // namespace tangram::promotion
