#include "Frontend.h"

#include "Kernels.h"
#include "Source.h"
#include "tangram/clang-family/Read.h"

namespace tangram::tilek {

namespace {

class TileKFrontend final : public Frontend {
public:
  const ast::Module *parse(const FrontendRequest &request, ast::Arena &arena, DiagnosticEngine &diags) override {
    std::optional<Source> source = readSource(request, arena, diags);
    if (!source) return nullptr;
    // What Clang warns of, it has said of the file itself.
    const ast::Module *module = frontend::readLanguage(request, arena, diags, &*source->text,
                                                       {"-w", "-Wno-c++11-narrowing", "-Drestrict=__restrict"});
    return module && !diags.hasErrors() ? withKernels(module, *source, arena, diags) : nullptr;
  }
};

} // namespace

std::unique_ptr<Frontend> makeFrontend() { return std::make_unique<TileKFrontend>(); }

} // namespace tangram::tilek
