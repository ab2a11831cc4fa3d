// The pass `invariant-motion`: constants that are the same in all iterations of a loop move in front of it.
#pragma once

#include "tangram/pass/Pass.h"

namespace tangram::invariant {

class InvariantMotion final : public Pass {
public:
  const ast::Module *run(const ast::Module *module, PassContext &context) override;
};

} // namespace tangram::invariant
