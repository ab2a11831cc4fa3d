#include "LoadStoreVectorization.h"

#include "tangram/plugin/Plugin.h"

TANGRAM_PLUGIN("load-store-vectorization", "1.0", "iterations of short loops access neighbouring elements as one") {
  tangram::PassDescriptor pass;
  pass.name = "load-store-vectorization";
  pass.summary = "Short loops of one worker access elements that lie side by side as vectors";
  pass.kind = tangram::PassKind::Optimizer;
  pass.before = "for (j = 0; j < 4; ++j) m[j] = a[i * n + j]";
  pass.after =
      "if (a lies at a multiple of 16 bytes && n % 4 == 0) { v = load4(a + i * n); m[0] = v.x; ...; m[3] = v.w } "
      "else the loop as it was";
  pass.requires_ = {"launches", "linear", "spmd"};
  pass.options = {{"bytes", "How many bytes an access has, at most: a power of two.", std::int64_t{16}, 2.0, 16.0, {}},
                  {"iterations", "How many iterations a loop has, at most.", std::int64_t{32}, 2.0, 256.0, {}},
                  {"nodes", "How large they may be together: nodes of their tree.", std::int64_t{4000}, 1.0, 1e5, {}}};
  pass.create = [](const tangram::OptionValues &options) {
    return std::make_unique<tangram::load_store_vectorization::LoadStoreVectorization>(
        tangram::load_store_vectorization::Limits{static_cast<unsigned>(options.integer("bytes")),
                                                  options.integer("iterations"),
                                                  static_cast<std::size_t>(options.integer("nodes"))});
  };
  registry.passes.add(std::move(pass));
}
