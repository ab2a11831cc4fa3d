// The pass `loop-versioning`: a loop whose guards all hold is run by a version without them.
#pragma once

#include "tangram/pass/LaunchPass.h"

namespace tangram::versioning {

class LoopVersioning final : public LaunchPass {
public:
  explicit LoopVersioning(unsigned most) : most_(most) {}

private:
  const ast::Kernel *kernel(const ast::Kernel *kernel, PassContext &context,
                            const hardware::LaunchLevels &levels) override;
  unsigned most_; // nodes of a loop that is written twice
};

} // namespace tangram::versioning
