#include "LoopNormalization.h"

#include "tangram/plugin/Plugin.h"

TANGRAM_PLUGIN("loop-normalization", "1.0", "counts loops of known trip counts from zero") {
  tangram::PassDescriptor pass;
  pass.name = "loop-normalization";
  pass.summary =
      "A loop from one bound to another that is a known number further, whatever both are, counts from zero: "
      "all lanes run as many iterations, and passes behind know how many; conditions that called functions stand in "
      "headers of loops again";
  pass.kind = tangram::PassKind::Optimizer;
  pass.before = "for (j = 2 * x - 1; j <= 2 * x + 1; ++j) s += in[j]";
  pass.after = "for (k = 0; k < 3; ++k) { j = 2 * x - 1 + k; s += in[j] }";
  pass.requires_ = {"flat"};
  pass.create = [](const tangram::OptionValues &) {
    return std::make_unique<tangram::loop_normalization::LoopNormalization>();
  };
  registry.passes.add(std::move(pass));
}
