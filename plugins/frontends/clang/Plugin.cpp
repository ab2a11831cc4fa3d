#include "tangram/plugin/Plugin.h"
#include "tangram/clang-family/Read.h"

namespace tangram {
namespace {

class ClangFrontend final : public Frontend {
public:
  const ast::Module *parse(const FrontendRequest &request, ast::Arena &arena, DiagnosticEngine &diags) override {
    return frontend::readLanguage(request, arena, diags);
  }
};

} // namespace
} // namespace tangram

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
  descriptor.create = [] { return std::make_unique<tangram::ClangFrontend>(); };
  registry.frontends.add(std::move(descriptor));
}
