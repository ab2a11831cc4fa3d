#include "LoadBatching.h"

#include "tangram/plugin/Plugin.h"

TANGRAM_PLUGIN("load-batching", "1.0", "has several loads of a loop under way at a time") {
  tangram::PassDescriptor pass;
  pass.name = "load-batching";
  pass.summary = "Several iterations of a loop load what they need before the first of them goes on with it";
  pass.kind = tangram::PassKind::Optimizer;
  pass.before = "for (i = lane; i < n; i += 256) sum += a[i]";
  pass.after = "for (i = lane; 256 < n - i; i += 512) { x = a[i]; y = a[i + 256]; sum += x; sum += y }; "
               "if (i < n) sum += a[i]";
  pass.requires_ = {"launches", "linear", "spmd"};
  pass.options = {
      {"iterations", "How many iterations are in a batch, at most: a power of two.", std::int64_t{8}, 1.0, 32.0, {}},
      {"registers",
       "How many registers of 32 bits what is loaded at a time may take; more leave room for fewer groups.",
       std::int64_t{16},
       1.0,
       128.0,
       {}},
      {"nodes",
       "How large all batches of a loop may be together: nodes of its tree, for each element of a vector that is "
       "loaded.",
       std::int64_t{1000},
       1.0,
       1e5,
       {}}};
  pass.create = [](const tangram::OptionValues &options) {
    auto number = [&](const char *name) { return static_cast<unsigned>(options.integer(name)); };
    return std::make_unique<tangram::batching::LoadBatching>(number("iterations"), number("registers"),
                                                             number("nodes"));
  };
  registry.passes.add(std::move(pass));
}
