// Registers a pass of its own, and then one that test-good has.
#include "tangram/plugin/Plugin.h"

using namespace tangram;

TANGRAM_PLUGIN("test-same-pass", "1.0", "takes a name that is taken, for tests") {
  for (const char *name : {"test-other-pass", "test-pass"}) {
    PassDescriptor pass;
    pass.name = name;
    pass.summary = "does nothing";
    pass.create = [](const OptionValues &) { return std::unique_ptr<Pass>(); };
    registry.passes.add(pass);
  }
}
