// What Clang has to say, as our diagnostics.
#pragma once

#include "Hooks.h"

#include <clang/Basic/Diagnostic.h>
#include <optional>

namespace tangram::frontend {

/// A name of the standard library that prints or writes a file.
bool isOutput(llvm::StringRef name);

class Forward final : public clang::DiagnosticConsumer {
public:
  Forward(ast::Arena &arena, DiagnosticEngine &diags, const Findings &findings, ast::SourceRange file,
          const Rewritten *instead = nullptr)
      : arena_(arena), diags_(diags), findings_(findings), file_(file), instead_(instead) {}

  void BeginSourceFile(const clang::LangOptions &language, const clang::Preprocessor *preprocessor) override;
  void EndSourceFile() override { flush(); }
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) override;
  /// Hands on what was kept back for its notes.
  void flush();
  bool failed() const { return errors_ > 0; }

private:
  std::optional<Diagnostic> inOurWords(const clang::Diagnostic &info, const Ranges &ranges) const;
  std::string adviceFor(unsigned id, const std::string &message) const;

  ast::Arena &arena_;
  DiagnosticEngine &diags_;
  const Findings &findings_;
  ast::SourceRange file_;
  const Rewritten *instead_;
  const clang::LangOptions *language_ = nullptr;
  const clang::Preprocessor *preprocessor_ = nullptr;
  std::optional<Diagnostic> pending_;
  bool homeless_ =
      false; // pending_ lies in a header that is not the user's; its first note in the user's file says where
  bool keepNotes_ = false;
  bool silent_ = false;
  unsigned errors_ = 0;
};

} // namespace tangram::frontend
