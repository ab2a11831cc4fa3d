// The pass `sincos`: sine and cosine of one number are computed together.
#pragma once

#include "tangram/pass/Pass.h"

namespace tangram::sincos {

class SineAndCosine final : public Pass {
public:
  const ast::Module *run(const ast::Module *module, PassContext &context) override;
};

} // namespace tangram::sincos
