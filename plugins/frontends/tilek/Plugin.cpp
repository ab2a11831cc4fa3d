#include "Frontend.h"

#include "tangram/plugin/Plugin.h"

TANGRAM_PLUGIN("frontend-tilek", "1.0", "reads C and C++ with TileK's directives (.tk.c, .tk.cpp) with Clang 19") {
  tangram::FrontendDescriptor descriptor;
  descriptor.name = "tilek";
  descriptor.summary =
      "C and C++ with directives that cut loops into tiles and give these to threads, gangs and workers";
  descriptor.extensions = {".tk.c", ".tk.cpp"};
  descriptor.create = [] { return tangram::tilek::makeFrontend(); };
  registry.frontends.add(std::move(descriptor));
}
