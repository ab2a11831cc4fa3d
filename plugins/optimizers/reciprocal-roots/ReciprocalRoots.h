// The pass `reciprocal-roots`: on a device, c / sqrt(x) becomes c * rsqrt(x).
#pragma once

#include "tangram/pass/Pass.h"

namespace tangram::reciprocal_roots {

class ReciprocalRoots final : public Pass {
public:
  const ast::Module *run(const ast::Module *module, PassContext &context) override;
};

} // namespace tangram::reciprocal_roots
