#include "LoopVersioning.h"

#include "tangram/plugin/Plugin.h"

TANGRAM_PLUGIN("loop-versioning", "1.0", "runs loops over full tiles without guards") {
  tangram::PassDescriptor pass;
  pass.name = "loop-versioning";
  pass.summary = "A loop over part of a tile asks once whether all its elements exist, and then not of each of them";
  pass.kind = tangram::PassKind::Optimizer;
  pass.before = "for (e = lane; e < 1024; e += 256) tile[e] = from + e < n ? a[from + e] : 0";
  pass.after =
      "if (from < n && 1023 < n - from) for (...) tile[e] = a[from + e] else for (...) tile[e] = from + e < n ? ...";
  pass.requires_ = {"launches", "linear", "spmd"};
  pass.options = {
      {"nodes", "How large a loop may be that is written twice: nodes of its tree.", std::int64_t{1000}, 1.0, 1e5, {}}};
  pass.create = [](const tangram::OptionValues &options) {
    return std::make_unique<tangram::versioning::LoopVersioning>(static_cast<unsigned>(options.integer("nodes")));
  };
  registry.passes.add(std::move(pass));
}
