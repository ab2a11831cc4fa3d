#include "Frontend.h"

#include "Forward.h"
#include "Hooks.h"
#include "Messages.h"
#include "Program.h"
#include "Toolchain.h"
#include "tangram/pass/DeepStack.h"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/Utils.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaConsumer.h>
#include <exception>

namespace tangram::frontend {
namespace {

/// What one run hands around.
struct Run {
  const FrontendRequest &request;
  ast::Arena &arena;
  DiagnosticEngine &diags;
  ast::SourceRange file;
  Findings findings;
  Forward *forward = nullptr;
  std::optional<Ranges> ranges;
  const ast::Module *module = nullptr;
  std::exception_ptr error; // nothing is thrown through Clang
};

class Consumer final : public clang::SemaConsumer {
public:
  explicit Consumer(Run &run) : run_(run) {}
  void InitializeSema(clang::Sema &sema) override { sema_ = &sema; }
  void HandleTranslationUnit(clang::ASTContext &context) override {
    run_.forward->flush();
    if (context.getDiagnostics().hasErrorOccurred() || run_.forward->failed() || run_.findings.reported) return;
    try {
      Program program(*sema_, *run_.ranges, run_.arena, run_.diags);
      run_.module = program.read(run_.request.spectrum, run_.file);
    } catch (...) {
      run_.error = std::current_exception();
    }
  }

private:
  Run &run_;
  clang::Sema *sema_ = nullptr;
};

class Action final : public clang::ASTFrontendAction {
public:
  explicit Action(Run &run) : run_(run) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler, llvm::StringRef) override {
    run_.ranges.emplace(compiler.getSourceManager(), compiler.getLangOpts(), run_.arena);
    compiler.getPreprocessor().addPPCallbacks(
        std::make_unique<Hooks>(compiler.getPreprocessor(), *run_.ranges, run_.diags, run_.findings));
    return std::make_unique<Consumer>(run_);
  }

private:
  Run &run_;
};

class ClangFrontend final : public Frontend {
public:
  const ast::Module *parse(const FrontendRequest &request, ast::Arena &arena, DiagnosticEngine &diags) override {
    try {
      return read(request, arena, diags);
    } catch (DiagnosticError &error) {
      diags.add(std::move(error.diagnostic));
      return nullptr;
    }
  }

private:
  static std::vector<std::string> arguments(const FrontendRequest &request) {
    std::string standard = "c++20";
    if (request.options && request.options->has("standard")) standard = request.options->text("standard");
    std::vector<std::string> args{"clang++", "-fsyntax-only", "-x", "c++", "-std=" + standard};
    args.insert(args.end(), {"-resource-dir", clangResources(), "-isystem", languageInclude()});
    // An assertion would be a call that no device has; a codelet without a result is a mistake, not a warning.
    args.insert(args.end(), {"-D__TANGRAM__=1", "-DNDEBUG", "-Werror=return-type"});
    for (const std::string &folder : request.includes) args.push_back("-I" + folder);
    for (const std::string &define : request.defines) args.push_back("-D" + define);
    args.push_back("--");
    args.push_back(request.file.string());
    return args;
  }

  static const ast::Module *read(const FrontendRequest &request, ast::Arena &arena, DiagnosticEngine &diags) {
    ast::SourceRange file;
    file.file = arena.internFile(request.file.string());
    std::error_code error;
    if (!std::filesystem::is_regular_file(request.file, error)) fail(kUnreadable, file, request.file.string());

    Run run{request, arena, diags, file, {}, nullptr, {}, nullptr, {}};
    auto *forward = new Forward(arena, diags, run.findings, file); // owned by the engine below
    run.forward = forward;
    llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> engine =
        clang::CompilerInstance::createDiagnostics(new clang::DiagnosticOptions(), forward);

    std::vector<std::string> args = arguments(request);
    std::vector<const char *> pointers;
    for (const std::string &arg : args) pointers.push_back(arg.c_str());
    clang::CreateInvocationOptions options;
    options.Diags = engine;
    std::shared_ptr<clang::CompilerInvocation> invocation = clang::createInvocation(pointers, options);
    forward->flush();
    if (!invocation) return nullptr;
    invocation->getFrontendOpts().DisableFree = false;
    clang::ProcessWarningOptions(*engine, invocation->getDiagnosticOpts(), false);

    clang::CompilerInstance compiler;
    compiler.setInvocation(invocation);
    compiler.setDiagnostics(engine.get());
    compiler.setVerboseOutputStream(llvm::nulls()); // no "2 errors generated."
    Action action(run);
    bool ran = false;
    // Clang's parser recurses as deep as its input nests.
    onDeepStack([&] { ran = compiler.ExecuteAction(action); });
    forward->flush();
    if (run.error) std::rethrow_exception(run.error);
    if (run.module && !forward->failed()) return run.module;
    if (ran && !forward->failed() && !diags.hasErrors())
      failBug(file, "frontend-clang", "Clang accepted the file, but there is no module of it");
    return nullptr;
  }
};

} // namespace

std::unique_ptr<Frontend> makeFrontend() { return std::make_unique<ClangFrontend>(); }

} // namespace tangram::frontend
