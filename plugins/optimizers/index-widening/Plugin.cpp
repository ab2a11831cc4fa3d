#include "IndexWidening.h"

#include "tangram/plugin/Plugin.h"

TANGRAM_PLUGIN("index-widening", "1.0", "computes indices in 64 bits where a loop counts in 64 bits") {
  tangram::PassDescriptor pass;
  pass.name = "index-widening";
  pass.summary =
      "An index that is computed in 32 bits from the 64-bit counter of a loop is computed in 64 bits, where nothing is "
      "cut off: a C++ compiler that does not know this sees no step between neighbouring elements, and makes no "
      "vectors";
  pass.kind = tangram::PassKind::Optimizer;
  pass.before = "for (u64 at = 0; at < n; ++at) { i32 j = i32(1 + at); y[u64(j)] = x[u64(j - 1)]; }";
  pass.after = "for (u64 at = 0; at < n; ++at) { u64 w = 1 + at; y[w] = x[w - 1]; }";
  pass.requires_ = {"flat", "linear"};
  pass.create = [](const tangram::OptionValues &) {
    return std::make_unique<tangram::index_widening::IndexWidening>();
  };
  registry.passes.add(std::move(pass));
}
