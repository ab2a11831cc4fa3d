#include "ReciprocalRoots.h"

#include "tangram/plugin/Plugin.h"

TANGRAM_PLUGIN("reciprocal-roots", "1.0", "divides by square roots with one instruction") {
  tangram::PassDescriptor pass;
  pass.name = "reciprocal-roots";
  pass.summary = "A division by a square root of an f32 on a device becomes a product with the reciprocal square root, "
                 "which is within 2 ulp";
  pass.kind = tangram::PassKind::Optimizer;
  pass.before = "y = c / sqrtf(x)";
  pass.after = "y = c * rsqrtf(x)";
  pass.requires_ = {"flat", "launches"};
  pass.create = [](const tangram::OptionValues &) {
    return std::make_unique<tangram::reciprocal_roots::ReciprocalRoots>();
  };
  registry.passes.add(std::move(pass));
}
