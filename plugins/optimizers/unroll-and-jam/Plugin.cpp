#include "UnrollAndJam.h"

#include "tangram/plugin/Plugin.h"

TANGRAM_PLUGIN("unroll-and-jam", "1.0", "runs iterations of a map that share data side by side") {
  tangram::PassDescriptor pass;
  pass.name = "unroll-and-jam";
  pass.summary = "Iterations of a map whose inner loops read the same data run together: it is read once for all of "
                 "them; and those "
                 "whose inner loops are recurrences, of which several are then under way";
  pass.kind = tangram::PassKind::Optimizer;
  pass.before = "loop j < rows { s = 0; for (i < n) s += a[j * n + i] * x[i]; y[j] = s }";
  pass.after = "loop c < rows / 2 { s = s_1 = 0; for (i < n) { s += a[2 * c * n + i] * x[i]; s_1 += "
               "a[(2 * c + 1) * n + i] * x[i] }; y[2 * c] = s; y[2 * c + 1] = s_1 }; the rest one by one";
  pass.requires_ = {"flat", "no-returns", "linear"};
  pass.options = {
      {"factor", "How many iterations run together, at most.", std::int64_t{4}, 1.0, 16.0, {}},
      {"chains",
       "How many run together, at most, where each goes through a loop whose iterations wait for a value of the "
       "one before; 1: that is no reason.",
       std::int64_t{1},
       1.0,
       16.0,
       {}},
      {"registers",
       "How many values of all of them may live from iteration to iteration of an inner loop.",
       std::int64_t{16},
       1.0,
       256.0,
       {}}};
  pass.create = [](const tangram::OptionValues &options) {
    return std::make_unique<tangram::jam::UnrollAndJam>(static_cast<unsigned>(options.integer("factor")),
                                                        static_cast<unsigned>(options.integer("chains")),
                                                        static_cast<unsigned>(options.integer("registers")));
  };
  registry.passes.add(std::move(pass));
}
