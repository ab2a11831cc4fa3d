#include "RegisterPromotion.h"

#include "tangram/plugin/Plugin.h"

TANGRAM_PLUGIN("register-promotion", "1.0", "keeps in registers what each turn of a loop reads again") {
  tangram::PassDescriptor pass;
  pass.name = "register-promotion";
  pass.summary = "What all turns of a worker's loop read of a container is read before it, into registers";
  pass.kind = tangram::PassKind::Optimizer;
  pass.before = "for (c < n) { s = 0; for (d < 16) s += a[i][d] * b[c][d]; ... }";
  pass.after = "for (d < 16) held[d] = a[i][d]; for (c < n) { s = 0; for (d < 16) s += held[d] * b[c][d]; ... }";
  pass.requires_ = {"launches", "placed", "synchronised"};
  pass.excludes = {"spmd", "linear"};
  pass.options = {{"registers",
                   "How many registers of 32 bits of a worker one loop's elements may take.",
                   std::int64_t{32},
                   2.0,
                   128.0,
                   {}}};
  pass.create = [](const tangram::OptionValues &options) {
    return std::make_unique<tangram::promotion::RegisterPromotion>(
        static_cast<std::uint64_t>(options.integer("registers")));
  };
  registry.passes.add(std::move(pass));

  tangram::PassDescriptor vectors;
  vectors.name = "vector-promotion";
  vectors.summary = "What all turns of a loop of lanes gather is gathered before it, once, into vectors";
  vectors.kind = tangram::PassKind::Optimizer;
  vectors.before = "for (c < n) { s = 0; for (d < 16) s += a[lane][d] * b[c][d]; ... }";
  vectors.after = "for (d < 16) held[d] = a[lane][d]; for (c < n) { s = 0; for (d < 16) s += held[d] * b[c][d]; ... }";
  vectors.requires_ = {"flat", "no-returns"};
  vectors.excludes = {"linear", "vectorized"};
  vectors.options = {{"elements",
                      "How many numbers of 32 bits a lane may keep of what one loop gathers.",
                      std::int64_t{64},
                      2.0,
                      1024.0,
                      {}}};
  vectors.create = [](const tangram::OptionValues &options) {
    return std::make_unique<tangram::promotion::VectorPromotion>(
        static_cast<std::uint64_t>(options.integer("elements")));
  };
  registry.passes.add(std::move(vectors));
}
