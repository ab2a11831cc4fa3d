#include "tangram/clang-family/Read.h"

#include "Forward.h"
#include "Hooks.h"
#include "Messages.h"
#include "Program.h"
#include "tangram/clang-family/Run.h"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaConsumer.h>
#include <exception>

namespace tangram::frontend {
namespace {

/// What one run hands around.
struct Reading {
  ClangRun &run;
  std::optional<Ranges> ranges;
  const ast::Module *module = nullptr;
  std::exception_ptr error; // nothing is thrown through Clang
};

class Consumer final : public clang::SemaConsumer {
public:
  explicit Consumer(Reading &reading) : reading_(reading) {}
  void InitializeSema(clang::Sema &sema) override { sema_ = &sema; }
  void HandleTranslationUnit(clang::ASTContext &context) override {
    ClangRun &run = reading_.run;
    run.forward().flush();
    if (context.getDiagnostics().hasErrorOccurred() || run.forward().failed() || run.findings().reported) return;
    try {
      Program program(*sema_, *reading_.ranges, run.arena(), run.diags());
      reading_.module = program.read(run.request(), run.file());
    } catch (...) {
      reading_.error = std::current_exception();
    }
  }

private:
  Reading &reading_;
  clang::Sema *sema_ = nullptr;
};

class Action final : public clang::ASTFrontendAction {
public:
  explicit Action(Reading &reading) : reading_(reading) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler, llvm::StringRef) override {
    ClangRun &run = reading_.run;
    reading_.ranges.emplace(compiler.getSourceManager(), compiler.getLangOpts(), run.arena(), run.instead());
    compiler.getPreprocessor().addPPCallbacks(
        std::make_unique<Hooks>(compiler.getPreprocessor(), *reading_.ranges, run.diags(), run.findings()));
    return std::make_unique<Consumer>(reading_);
  }

private:
  Reading &reading_;
};

} // namespace

const ast::Module *readLanguage(const FrontendRequest &request, ast::Arena &arena, DiagnosticEngine &diags,
                                const Rewritten *instead, const std::vector<std::string> &more) {
  try {
    ClangRun run(request, arena, diags, instead);
    std::string standard = "c++20";
    if (request.options && request.options->has("standard")) standard = request.options->text("standard");
    std::vector<std::string> words{"clang++", "-fsyntax-only", "-x", "c++", "-std=" + standard};
    for (std::string &word : headerFolders()) words.push_back(std::move(word));
    // An assertion would be a call that no device has; a codelet without a result is a mistake, not a warning.
    words.insert(words.end(), {"-D__TANGRAM__=1", "-DNDEBUG", "-Werror=return-type"});
    words.insert(words.end(), more.begin(), more.end());
    Reading reading{run, {}, nullptr, {}};
    Action action(reading);
    bool done = run.execute(std::move(words), action);
    if (reading.error) std::rethrow_exception(reading.error);
    if (reading.module && done) return reading.module;
    if (done && !diags.hasErrors())
      failBug(run.file(), "clang-family", "Clang accepted the file, but there is no module of it");
  } catch (DiagnosticError &error) {
    diags.add(std::move(error.diagnostic));
  }
  return nullptr;
}

} // namespace tangram::frontend
