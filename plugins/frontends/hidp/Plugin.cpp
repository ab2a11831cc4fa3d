#include "Frontend.h"

#include "tangram/plugin/Plugin.h"

TANGRAM_PLUGIN("frontend-hidp", "1.0", "reads HiDP (.hidp), the hierarchical data-parallel language") {
  tangram::FrontendDescriptor descriptor;
  descriptor.name = "hidp";
  descriptor.summary = "HiDP: functions of elementwise expressions, map blocks and data-parallel primitives";
  descriptor.extensions = {".hidp"};
  descriptor.create = [] { return tangram::hidp::makeFrontend(); };
  registry.frontends.add(std::move(descriptor));
}
