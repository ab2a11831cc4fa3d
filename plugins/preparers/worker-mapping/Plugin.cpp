#include "Mapper.h"

#include "tangram/pass/LaunchPass.h"
#include "tangram/pass/Property.h"
#include "tangram/plugin/Plugin.h"

namespace {
using namespace tangram;

class WorkerMapping final : public LaunchPass {
  const ast::Kernel *kernel(const ast::Kernel *kernel, PassContext &context,
                            const hardware::LaunchLevels &levels) override {
    return mapping::Mapper(context, levels, *kernel).run(kernel);
  }
};

} // namespace

TANGRAM_PLUGIN("worker-mapping", "1.0", "writes launches as what one worker does") {
  PassDescriptor pass;
  pass.name = "worker-mapping";
  pass.summary = "Writes distributed maps, cooperating lanes and what is done once as the code of one worker";
  pass.kind = PassKind::Preparer;
  pass.before = "loop k < n distribute at block { r[k] = f(k) }; sync block; single at block { x[0] = r[0] }";
  pass.after = "for (k = worker; k < n; k += 256) r[k] = f(k); sync block; if (worker == 0) x[0] = r[0]";
  pass.requires_ = {"launches", "assigned", "placed", "synchronised"};
  pass.establishes = {"spmd"};
  pass.destroys = {"assigned"};
  pass.create = [](const OptionValues &) { return std::make_unique<WorkerMapping>(); };
  registry.passes.add(std::move(pass));
  registry.properties.add(
      property("spmd", "launches are the code of one worker", nodesInLaunches<ast::Cooperate, ast::Single>));
}
