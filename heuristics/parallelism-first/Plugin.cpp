#include "tangram/plugin/Plugin.h"
#include "ParallelismFirst.h"

TANGRAM_PLUGIN("parallelism-first", "1.0", "prefers rules that extract more parallelism") {
  tangram::HeuristicDescriptor descriptor;
  descriptor.name = "parallelism-first";
  descriptor.summary = "prefers rules that distribute, with the tiling that the level suits, then those that vectorize";
  descriptor.create = [](const tangram::OptionValues &) { return std::make_unique<tangram::ParallelismFirst>(); };
  registry.heuristics.add(descriptor);
}
