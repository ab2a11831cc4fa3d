#include "IndexNarrowing.h"

#include "tangram/plugin/Plugin.h"

TANGRAM_PLUGIN("index-narrowing", "1.0", "computes indices in 32 bits where containers are small enough") {
  tangram::PassDescriptor pass;
  pass.name = "index-narrowing";
  pass.summary = "Launches compute indices in 32 bits where the host finds that all of them fit, else in 64";
  pass.kind = tangram::PassKind::Optimizer;
  pass.before = "launch p groups { for (u64 i = worker; i < n; i += 256) y[j * n + i] = 0 }";
  pass.after = "if (p * n + 256 <= 2147483647) launch p groups { for (i32 i = worker; ...) ... } else launch ...";
  pass.requires_ = {"launches", "linear", "spmd"};
  pass.options = {
      {"bits",
       "How wide narrow integers are: 32; 16 is for tests, where sizes at which something is wrong are small.",
       std::int64_t{32},
       16.0,
       32.0,
       {}},
      {"least",
       "How much a second version of a launch must save: operations of 64 bits, more in loops.",
       std::int64_t{8},
       1.0,
       1e6,
       {}}};
  pass.create = [](const tangram::OptionValues &options) {
    return std::make_unique<tangram::narrowing::IndexNarrowing>(static_cast<unsigned>(options.integer("bits")),
                                                                static_cast<unsigned>(options.integer("least")));
  };
  registry.passes.add(std::move(pass));
}
