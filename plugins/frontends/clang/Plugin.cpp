#include "Frontend.h"

#include "tangram/plugin/Plugin.h"

TANGRAM_PLUGIN("frontend-clang", "1.0", "reads the Tangram language (.tg.cpp) with Clang 19") {
  tangram::FrontendDescriptor descriptor;
  descriptor.name = "clang";
  descriptor.summary = "the Tangram language: C++20 with spectrums, codelets and primitives";
  descriptor.options = {{"standard",
                         "the C++ standard that source files are written in",
                         std::string("c++20"),
                         {},
                         {},
                         {"c++20", "c++23"}}};
  descriptor.extensions = {".tg.cpp"};
  descriptor.create = [] { return tangram::frontend::makeFrontend(); };
  registry.frontends.add(std::move(descriptor));
}
