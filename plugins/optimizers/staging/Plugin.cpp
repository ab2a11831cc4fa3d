#include "Staging.h"

#include "tangram/ast/Names.h"
#include "tangram/pass/LaunchPass.h"
#include "tangram/plugin/Plugin.h"

namespace {
using namespace tangram;

class Staging final : public LaunchPass {
public:
  explicit Staging(std::uint64_t most) : most_(most) {}

private:
  const ast::Kernel *kernel(const ast::Kernel *kernel, PassContext &context,
                            const hardware::LaunchLevels &levels) override {
    ast::Names names;
    names.reserveAll(kernel);
    return withLaunches(context.arena, kernel, [&](const ast::Launch *launch) {
      const hardware::LaunchLevels own = levels.ofGroups(launch->threads);
      return staging::staged({context, own, *kernel, names}, launch, most_);
    });
  }
  std::uint64_t most_;
};

} // namespace

TANGRAM_PLUGIN("staging", "1.0", "moves tiles of containers through scratchpad memory") {
  PassDescriptor pass;
  pass.name = "staging";
  pass.summary = "Where each worker walks through elements of its own, all load tiles of them together, line by line";
  pass.kind = PassKind::Optimizer;
  pass.before = "loop j < rows distribute at block { s = 0; for (i < n) s += a[j * n + i]; y[j] = s }";
  pass.after = "for (f = 0; f < n; f += 32) { tile[r][c] = a[r * n + f + c], for all r and c, by all; sync block; "
               "for (t < 32) s += tile[worker][t]; sync block }; y[worker] = s";
  pass.requires_ = {"launches", "placed", "synchronised"};
  pass.excludes = {"spmd", "linear"};
  pass.options = {{"bytes",
                   "How much scratchpad memory of a group it may use: more leaves room for fewer groups.",
                   std::int64_t{48 * 1024},
                   0.0,
                   1073741824.0,
                   {}}};
  pass.create = [](const OptionValues &options) {
    return std::make_unique<Staging>(static_cast<std::uint64_t>(options.integer("bytes")));
  };
  registry.passes.add(std::move(pass));
}
