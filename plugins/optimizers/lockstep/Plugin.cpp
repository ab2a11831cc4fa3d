#include "Lockstep.h"

#include "tangram/pass/Property.h"
#include "tangram/plugin/Plugin.h"

TANGRAM_PLUGIN("lockstep", "1.0", "turns lanes in lock step into vector code") {
  tangram::PassDescriptor pass;
  pass.name = "lockstep";
  pass.summary = "Cooperative codelets and maps over SIMD lanes become vector code";
  pass.kind = tangram::PassKind::Optimizer;
  pass.before = "cooperate lane < 16: { x: i32 = in[lane]; if (lane >= s) tmp[lane] += tmp[lane - s] }";
  pass.after =
      "x: vec<i32,16> = load(in); active = lanes >= s; store(tmp, load(tmp, active) + load(tmp - s, active), active)";
  pass.requires_ = {"flat", "no-returns", "scalar-specials", "linear"};
  pass.excludes = {"launches"};
  pass.establishes = {"vectorized"};
  pass.options = {{"warn", "Whether to say where a map over lanes stays scalar, and why.", false, {}, {}, {}}};
  pass.create = [](const tangram::OptionValues &options) {
    return std::make_unique<tangram::lockstep::LockstepPass>(options.flag("warn"));
  };
  registry.passes.add(std::move(pass));
  registry.properties.add(
      tangram::property("vectorized", "lanes in lock step are vectors", tangram::nodesOf<tangram::ast::Cooperate>));
}
