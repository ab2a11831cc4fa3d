#include "ThreadCoarsening.h"

#include "tangram/plugin/Plugin.h"

TANGRAM_PLUGIN("thread-coarsening", "1.0", "lanes have several neighbouring iterations, by wide accesses") {
  tangram::PassDescriptor pass;
  pass.name = "thread-coarsening";
  pass.summary = "A lane has several neighbouring iterations of a loop that lanes share, and accesses them as one";
  pass.kind = tangram::PassKind::Optimizer;
  pass.before = "for (i = lane; i < n; i += 32) b[i] = a[i] + 1";
  pass.after = "for (c = lane; c < n / 4; c += 32) { b[4 * c] = a[4 * c] + 1; ...; b[4 * c + 3] = a[4 * c + 3] + 1 }; "
               "what is left one by one; the loop as it was where a and b do not lie at multiples of 16 bytes";
  pass.requires_ = {"launches", "linear", "spmd"};
  pass.options = {
      {"iterations",
       "How many neighbouring iterations a lane has at a time, at most: a power of two.",
       std::int64_t{4},
       1.0,
       16.0,
       {}},
      {"bytes", "How many bytes an access has, at most: a power of two.", std::int64_t{16}, 2.0, 16.0, {}},
      {"registers",
       "How many registers of 32 bits may hold what lives through a loop in them, fewer where groups are large.",
       std::int64_t{96},
       1.0,
       256.0,
       {}},
      {"nodes", "How large they may be together: nodes of their tree.", std::int64_t{8000}, 1.0, 1e5, {}}};
  pass.create = [](const tangram::OptionValues &options) {
    auto number = [&](const char *name) { return static_cast<unsigned>(options.integer(name)); };
    return std::make_unique<tangram::coarsening::ThreadCoarsening>(
        tangram::coarsening::Limits{number("iterations"), number("bytes"), number("registers"), number("nodes")});
  };
  registry.passes.add(std::move(pass));
}
