#include "Frontend.h"

#include "Check.h"
#include "Kernels.h"
#include "Messages.h"
#include "Parser.h"
#include "Unproven.h"
#include "tangram/clang-family/Read.h"

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
      const ast::Module *module = read(program, source, {}, request, arena, diags);
      if (!module || diags.hasErrors()) return nullptr;
      // Loops say nothing of what the language knows: where nobody else can find out, maps say it.
      const Mapped mapped = unproven(*module, program, source, diags);
      return mapped.empty() ? module : read(program, source, mapped, request, arena, diags);
    } catch (DiagnosticError &error) {
      diags.add(std::move(error.diagnostic));
    }
    return nullptr;
  }

private:
  static const ast::Module *read(Program &program, const Source &source, const Mapped &mapped,
                                 const FrontendRequest &request, ast::Arena &arena, DiagnosticEngine &diags) {
    const frontend::Rewritten text = kernels(program, source, mapped);
    return frontend::readLanguage(request, arena, diags, &text, {"-w"});
  }
};

} // namespace

std::unique_ptr<Frontend> makeFrontend() { return std::make_unique<HidpFrontend>(); }

} // namespace tangram::hidp
