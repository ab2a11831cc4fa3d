#include "SineAndCosine.h"

#include "tangram/plugin/Plugin.h"

TANGRAM_PLUGIN("sincos", "1.0", "computes sine and cosine of one number together") {
  tangram::PassDescriptor pass;
  pass.name = "sincos";
  pass.summary = "Sine and cosine of one number are computed by one call, which looks for the quadrant once";
  pass.kind = tangram::PassKind::Optimizer;
  pass.before = "x = r * cos(a); y = r * sin(a)";
  pass.after = "sincos(a, &sine, &cosine); x = r * cosine; y = r * sine";
  pass.requires_ = {"flat", "linear"};
  pass.create = [](const tangram::OptionValues &) { return std::make_unique<tangram::sincos::SineAndCosine>(); };
  registry.passes.add(std::move(pass));
}
