#include "tangram/clang-family/Run.h"

#include "Forward.h"
#include "Hooks.h"
#include "Messages.h"
#include "Toolchain.h"
#include "tangram/pass/DeepStack.h"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Support/MemoryBuffer.h>

namespace tangram::frontend {

std::vector<std::string> headerFolders() { return {"-resource-dir", clangResources(), "-isystem", languageInclude()}; }

ClangRun::ClangRun(const FrontendRequest &request, ast::Arena &arena, DiagnosticEngine &diags, const Rewritten *instead)
    : request_(request), arena_(arena), diags_(diags), instead_(instead), findings_(std::make_unique<Findings>()) {
  file_.file = arena.internFile(request.file.string());
  std::error_code error;
  if (!std::filesystem::is_regular_file(request.file, error)) fail(kUnreadable, file_, request.file.string());
}

ClangRun::~ClangRun() = default;

bool ClangRun::execute(std::vector<std::string> words, clang::FrontendAction &action) {
  for (const std::string &folder : request_.includes) words.push_back("-I" + folder);
  for (const std::string &define : request_.defines) words.push_back("-D" + define);
  words.emplace_back("--");
  words.push_back(request_.file.string());

  forward_ = new Forward(arena_, diags_, *findings_, file_, instead_); // owned by the engine below
  llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> engine =
      clang::CompilerInstance::createDiagnostics(new clang::DiagnosticOptions(), forward_);
  std::vector<const char *> pointers;
  for (const std::string &word : words) pointers.push_back(word.c_str());
  clang::CreateInvocationOptions options;
  options.Diags = engine;
  std::shared_ptr<clang::CompilerInvocation> invocation = clang::createInvocation(pointers, options);
  forward_->flush();
  if (!invocation) return false;
  invocation->getFrontendOpts().DisableFree = false;
  if (instead_)
    invocation->getPreprocessorOpts().addRemappedFile(
        request_.file.string(),
        llvm::MemoryBuffer::getMemBufferCopy(instead_->text(), request_.file.string()).release());
  clang::ProcessWarningOptions(*engine, invocation->getDiagnosticOpts(), false);

  clang::CompilerInstance compiler;
  compiler.setInvocation(invocation);
  compiler.setDiagnostics(engine.get());
  compiler.setVerboseOutputStream(llvm::nulls()); // no "2 errors generated."
  bool ran = false;
  // Clang's parser recurses as deep as its input nests.
  onDeepStack([&] { ran = compiler.ExecuteAction(action); });
  forward_->flush();
  bool failed = forward_->failed();
  return ran && !failed;
}

} // namespace tangram::frontend
