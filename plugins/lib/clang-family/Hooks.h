// What the preprocessor has to do for the qualifiers: one word can mean several things, by what stands around it.
#pragma once

#include "tangram/clang-family/Ranges.h"

#include "tangram/diag/Diagnostic.h"

#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace tangram::frontend {

/// The qualifiers, as users write them.
const std::vector<std::string> &qualifierNames();

/// What the hooks found out and the rest reads.
struct Findings {
  std::set<std::string> tags; // of all codelets
  bool reported = false;      // an error that makes what Clang says of the same text noise
};

/// Tells `__codelet` before a declaration (a spectrum) from one before a definition, and keeps codelet templates from
/// being found by sum<T>: they get a constraint that never holds. Checks where __requires stands.
class Hooks final : public clang::PPCallbacks {
public:
  Hooks(clang::Preprocessor &preprocessor, const Ranges &ranges, DiagnosticEngine &diags, Findings &findings);

  void MacroExpands(const clang::Token &name, const clang::MacroDefinition &definition, clang::SourceRange range,
                    const clang::MacroArgs *args) override;

private:
  struct Word {
    clang::tok::TokenKind kind;
    unsigned offset;
    bool startsLine;
    std::string text; // of an identifier
  };
  using Words = std::vector<Word>;

  const Words &wordsOf(clang::FileID file);
  /// The words of the file that `where` lies in, and the position of the one there.
  std::optional<std::pair<const Words *, std::size_t>> find(clang::SourceLocation where);
  /// False where the declaration is not to be seen from here: `inMacro`, and the macro's text ends before it does.
  bool functionQualifier(clang::SourceLocation seen, clang::SourceLocation where, bool inMacro);
  void requirement(const Words &words, std::size_t at, clang::SourceLocation where);
  /// Makes a macro of the language's header stand for another one, or for nothing.
  void redirect(const char *macro, const char *to, clang::SourceLocation where);

  clang::Preprocessor &preprocessor_;
  const Ranges &ranges_;
  DiagnosticEngine &diags_;
  Findings &findings_;
  std::map<clang::FileID, Words> words_;
  std::map<std::string, std::string> redirected_;
  /// The declaration that has its constraint: the file, the use of the macro that holds it, its first qualifier.
  std::tuple<clang::FileID, clang::SourceLocation, std::size_t> headDone_;
};

} // namespace tangram::frontend
