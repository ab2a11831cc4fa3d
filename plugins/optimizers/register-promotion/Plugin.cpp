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
}
