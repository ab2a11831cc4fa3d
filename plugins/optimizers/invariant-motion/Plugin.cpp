#include "InvariantMotion.h"

#include "tangram/plugin/Plugin.h"

TANGRAM_PLUGIN("invariant-motion", "1.0", "computes what does not change before a loop") {
  tangram::PassDescriptor pass;
  pass.name = "invariant-motion";
  pass.summary = "Constants that are the same in all iterations of a loop are computed before it";
  pass.kind = tangram::PassKind::Optimizer;
  pass.before = "loop j < rows { trip = reduce_min(sizes / 4); for (i < trip) ... }";
  pass.after = "trip = reduce_min(sizes / 4); loop j < rows { for (i < trip) ... }";
  pass.requires_ = {"flat", "linear"};
  pass.options = {{"reciprocals",
                   "a quotient of an f32 or f64 by what does not change is a product with its reciprocal, within 2 "
                   "roundings, unless the target promises the same bits for all plans",
                   false,
                   {},
                   {},
                   {}}};
  pass.create = [](const tangram::OptionValues &options) {
    return std::make_unique<tangram::invariant::InvariantMotion>(options.flag("reciprocals"));
  };
  registry.passes.add(std::move(pass));
}
