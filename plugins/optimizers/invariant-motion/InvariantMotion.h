// The pass `invariant-motion`: constants that are the same in all iterations of a loop move in front of it.
#pragma once

#include "tangram/pass/Pass.h"

namespace tangram::invariant {

class InvariantMotion final : public Pass {
public:
  /// `reciprocals`: quotients by what does not change are products, unless a target promises the same bits.
  explicit InvariantMotion(bool reciprocals) : reciprocals_(reciprocals) {}
  const ast::Module *run(const ast::Module *module, PassContext &context) override;

private:
  bool reciprocals_;
};

} // namespace tangram::invariant
