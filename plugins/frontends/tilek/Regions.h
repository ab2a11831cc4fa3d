// Which functions and loops directives stand before.
#pragma once

#include "Directives.h"
#include "tangram/clang-family/Ranges.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

namespace tangram::tilek {

/// Places of Clang's in the file that is read.
class Places {
public:
  Places(const clang::ASTContext &context, const frontend::Ranges &ranges) : context_(context), ranges_(ranges) {}

  bool inFile(clang::SourceLocation where) const;
  std::size_t begin(clang::SourceLocation where) const;
  /// Behind the token that begins there.
  std::size_t end(clang::SourceLocation where) const;
  Piece of(clang::SourceRange range) const { return {begin(range.getBegin()), end(range.getEnd())}; }
  ast::SourceRange range(clang::SourceRange range) const { return ranges_.of(range); }
  std::string text(Piece piece) const;
  const clang::ASTContext &context() const { return context_; }

private:
  const clang::ASTContext &context_;
  const frontend::Ranges &ranges_;
};

struct Region {
  const clang::FunctionDecl *function = nullptr;
  const clang::CompoundStmt *block = nullptr;
  KernelDirective directive;
  std::vector<std::pair<const clang::ForStmt *, LoopDirective>> loops;
};

/// One for each kernel, in the file's order. Throws DiagnosticError.
std::vector<Region> regionsOf(const Places &places, const std::vector<Directive> &directives,
                              const ast::SourceRange &file);

} // namespace tangram::tilek
