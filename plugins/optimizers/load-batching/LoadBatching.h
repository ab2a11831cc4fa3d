// The pass `load-batching`: a worker has several loads under way before it waits for the first.
#pragma once

#include "tangram/pass/LaunchPass.h"

namespace tangram::batching {

class LoadBatching final : public LaunchPass {
public:
  LoadBatching(unsigned iterations, unsigned registers, unsigned nodes)
      : iterations_(iterations), registers_(registers), nodes_(nodes) {}

private:
  const ast::Kernel *kernel(const ast::Kernel *kernel, PassContext &context,
                            const hardware::LaunchLevels &levels) override;
  unsigned iterations_, registers_, nodes_;
};

} // namespace tangram::batching
