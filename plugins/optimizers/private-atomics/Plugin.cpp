#include "PrivateAtomics.h"

#include "tangram/plugin/Plugin.h"

TANGRAM_PLUGIN("private-atomics", "1.0", "makes atomic operations on a worker's own memory plain") {
  tangram::PassDescriptor pass;
  pass.name = "private-atomics";
  pass.summary = "Atomic operations on memory that nobody else can touch meanwhile become plain ones";
  pass.kind = tangram::PassKind::Optimizer;
  pass.before = "loop j < p distribute { alloc own[256]; for (...) atomic add own[in[i]], 1 }";
  pass.after = "loop j < p distribute { alloc own[256]; for (...) own[in[i]] = own[in[i]] + 1 }";
  pass.requires_ = {"flat"};
  pass.create = [](const tangram::OptionValues &) {
    return std::make_unique<tangram::private_atomics::PrivateAtomics>();
  };
  registry.passes.add(std::move(pass));
}
