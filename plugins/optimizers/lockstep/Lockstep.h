// The pass `lockstep`: what runs on the lanes of a level with vector capability becomes vector code.
#pragma once

#include "tangram/pass/Pass.h"

namespace tangram::lockstep {

class LockstepPass final : public Pass {
public:
  explicit LockstepPass(bool warns) : warns_(warns) {}
  const ast::Module *run(const ast::Module *module, PassContext &context) override;

private:
  bool warns_;
};

} // namespace tangram::lockstep
