// The pass `index-narrowing`: launches that count in 32 bits where the host finds that all of it fits.
#pragma once

#include "tangram/pass/LaunchPass.h"

namespace tangram::narrowing {

class IndexNarrowing final : public LaunchPass {
public:
  IndexNarrowing(unsigned bits, unsigned least) : bits_(bits), least_(least) {}

private:
  const ast::Kernel *kernel(const ast::Kernel *kernel, PassContext &context,
                            const hardware::LaunchLevels &levels) override;
  unsigned bits_, least_;
};

} // namespace tangram::narrowing
