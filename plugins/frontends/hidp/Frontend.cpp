#include "Frontend.h"

#include "Check.h"
#include "Kernels.h"
#include "Messages.h"
#include "Parser.h"
#include "tangram/clang-family/Read.h"
#include "tangram/pass/DeepStack.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace tangram::hidp {

namespace {

class HidpFrontend final : public Frontend {
public:
  const ast::Module *parse(const FrontendRequest &request, ast::Arena &arena, DiagnosticEngine &diags) override {
    try {
      std::ifstream in(request.file, std::ios::binary);
      if (!in) fail(kUnreadable, {}, request.file.string());
      const Source source(request.file.string(), std::string{std::istreambuf_iterator<char>(in), {}});
      const syntax::Program tree = hidp::parse(source);
      Program program = check(tree, source);
      const frontend::Rewritten text = kernels(program, source, {});
      if (const char *file = std::getenv("HIDP_TEXT")) std::ofstream(file) << text.text();
      return frontend::readLanguage(request, arena, diags, &text, {"-w"});
    } catch (DiagnosticError &error) {
      diags.add(std::move(error.diagnostic));
    }
    return nullptr;
  }
};

} // namespace

std::unique_ptr<Frontend> makeFrontend() { return std::make_unique<HidpFrontend>(); }

} // namespace tangram::hidp
