// One run of Clang over a file, whose diagnostics become ours.
#pragma once

#include "tangram/clang-family/Rewritten.h"
#include "tangram/pass/Pass.h"

#include <memory>
#include <string>
#include <vector>

namespace clang {
class FrontendAction;
}

namespace tangram::frontend {

class Forward;
struct Findings;

class ClangRun {
public:
  /// `instead`: text to read in the file's place. Throws where the file cannot be read.
  ClangRun(const FrontendRequest &request, ast::Arena &arena, DiagnosticEngine &diags,
           const Rewritten *instead = nullptr);
  ~ClangRun();
  ClangRun(const ClangRun &) = delete;

  /// `words`: of Clang's command line, its name first; folders, defines and the file of the request follow. False where
  /// Clang had errors, which are reported.
  bool execute(std::vector<std::string> words, clang::FrontendAction &action);

  /// For what is wrong with the file as a whole.
  ast::SourceRange file() const { return file_; }
  const FrontendRequest &request() const { return request_; }
  ast::Arena &arena() const { return arena_; }
  DiagnosticEngine &diags() const { return diags_; }
  const Rewritten *instead() const { return instead_; }
  Forward &forward() const { return *forward_; }
  Findings &findings() const { return *findings_; }

private:
  const FrontendRequest &request_;
  ast::Arena &arena_;
  DiagnosticEngine &diags_;
  const Rewritten *instead_;
  ast::SourceRange file_;
  std::unique_ptr<Findings> findings_;
  Forward *forward_ = nullptr; // of Clang's engine, while one runs
};

/// "-resource-dir", and the folder of Clang's own headers; "-isystem", and that of the language's.
std::vector<std::string> headerFolders();

} // namespace tangram::frontend
