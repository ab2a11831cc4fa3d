// The pass `register-promotion`.
#pragma once

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

} // namespace tangram::promotion
