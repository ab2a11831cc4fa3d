// Clang's source locations as ours.
#pragma once

#include "tangram/ast/Node.h"
#include "tangram/clang-family/Rewritten.h"

#include <clang/Basic/SourceManager.h>
#include <map>

namespace tangram::frontend {

class Ranges {
public:
  Ranges(const clang::SourceManager &sources, const clang::LangOptions &language, ast::Arena &arena,
         const Rewritten *instead = nullptr)
      : sources_(sources), language_(language), arena_(arena), instead_(instead) {}

  /// What a macro made lies where the macro was written.
  ast::SourceRange of(clang::SourceRange range) const;
  ast::SourceRange of(clang::SourceLocation location) const { return of(clang::SourceRange(location)); }
  /// In a file of the user or a header of codelets (.tg.h), not in another one of the system or of the language.
  bool isUsers(clang::SourceLocation location) const;
  const clang::SourceManager &sources() const { return sources_; }
  const clang::LangOptions &language() const { return language_; }

private:
  const clang::SourceManager &sources_;
  const clang::LangOptions &language_;
  ast::Arena &arena_;
  const Rewritten *instead_; // of the main file: where its text comes from
};

} // namespace tangram::frontend
