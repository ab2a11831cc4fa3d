#include "Hooks.h"

#include "Messages.h"

#include <algorithm>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/MacroInfo.h>

namespace tangram::frontend {
namespace {

using clang::tok::TokenKind;

bool isFunctionQualifier(const std::string &word) {
  return word == "__codelet" || word == "__coop" || word == "__independent" || word == "__tag" || word == "__env" ||
         word == "__at";
}

/// The place behind the bracket that closes the one at `open`.
template <class Words> std::size_t behind(const Words &words, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < words.size(); ++i) {
    TokenKind kind = words[i].kind;
    if (kind == TokenKind::l_paren || kind == TokenKind::l_square) ++depth;
    if (kind == TokenKind::r_paren || kind == TokenKind::r_square) --depth;
    if (depth == 0) return i + 1;
  }
  return words.size();
}

/// The first of the run of qualifiers that ends at or holds `at`.
template <class Words> std::size_t firstQualifier(const Words &words, std::size_t at) {
  std::size_t first = at;
  while (first > 0) {
    if (isFunctionQualifier(words[first - 1].text)) {
      --first;
      continue;
    }
    if (words[first - 1].kind != TokenKind::r_paren) break;
    std::size_t open = first - 1;
    int depth = 0;
    do {
      if (words[open].kind == TokenKind::r_paren) ++depth;
      if (words[open].kind == TokenKind::l_paren) --depth;
    } while (depth > 0 && open-- > 0);
    if (depth != 0 || open == 0 || !isFunctionQualifier(words[open - 1].text)) break;
    first = open - 1;
  }
  return first;
}

/// Whether the declaration is of a function that is no codelet: of its qualifiers, `__coop` alone stands there.
template <class Words> bool isPlainFunction(const Words &words, std::size_t first, clang::Preprocessor &preprocessor) {
  for (std::size_t i = first; i < words.size(); ++i) {
    const std::string &word = words[i].text;
    if (isFunctionQualifier(word)) {
      if (word != "__coop") return false;
      continue;
    }
    if (words[i].kind == TokenKind::l_paren || words[i].kind == TokenKind::l_brace) break;
    // What a macro of the user holds may be a qualifier.
    if (!word.empty() && preprocessor.isMacroDefined(word)) return false;
  }
  return first == 0 || words[first - 1].text.empty() || !preprocessor.isMacroDefined(words[first - 1].text);
}

enum class Head { None, Template, Constrained, Elsewhere };

/// Whether a declaration that starts at `first` is headed by template <...>, with or without a requires clause.
template <class Words> Head headBefore(const Words &words, std::size_t first) {
  std::size_t start = first;
  while (start > 0) {
    TokenKind kind = words[start - 1].kind;
    if (kind == TokenKind::semi || kind == TokenKind::r_brace || kind == TokenKind::l_brace) break;
    --start;
    if (kind == TokenKind::hash && words[start].startsLine) break;
  }
  while (start < first && words[start].text != "template") ++start;
  if (start + 1 >= first || words[start + 1].kind != TokenKind::less) return Head::None;
  int depth = 0;
  std::size_t i = start + 1;
  for (; i < first; ++i) {
    TokenKind kind = words[i].kind;
    if (kind == TokenKind::l_paren) {
      i = behind(words, i) - 1;
      continue;
    }
    if (kind == TokenKind::less) ++depth;
    if (kind == TokenKind::greater) --depth;
    if (kind == TokenKind::greatergreater) depth -= 2;
    if (depth <= 0) break;
  }
  if (i + 1 == first) return Head::Template;
  return i + 1 < first && words[i + 1].text == "requires" ? Head::Constrained : Head::Elsewhere;
}

} // namespace

const std::vector<std::string> &qualifierNames() {
  static const std::vector<std::string> names{"__spectrum", "__codelet",  "__coop",    "__independent",
                                              "__shared",   "__tunable",  "__tag",     "__env",
                                              "__at",       "__requires", "__instance"};
  return names;
}

Hooks::Hooks(clang::Preprocessor &preprocessor, const Ranges &ranges, DiagnosticEngine &diags, Findings &findings)
    : preprocessor_(preprocessor), ranges_(ranges), diags_(diags), findings_(findings) {}

const Hooks::Words &Hooks::wordsOf(clang::FileID file) {
  auto [it, isNew] = words_.try_emplace(file);
  if (!isNew) return it->second;
  const clang::SourceManager &sources = ranges_.sources();
  std::optional<llvm::MemoryBufferRef> buffer = sources.getBufferOrNone(file);
  if (!buffer) return it->second;
  clang::Lexer lexer(file, *buffer, sources, ranges_.language());
  clang::Token token;
  for (bool end = false; !end;) {
    end = lexer.LexFromRawLexer(token);
    if (token.is(TokenKind::eof)) break;
    std::string text = token.is(TokenKind::raw_identifier) ? token.getRawIdentifier().str() : "";
    it->second.push_back(
        {token.getKind(), sources.getFileOffset(token.getLocation()), token.isAtStartOfLine(), std::move(text)});
  }
  return it->second;
}

void Hooks::redirect(const char *macro, const char *to, clang::SourceLocation where) {
  auto [it, isNew] = redirected_.try_emplace(macro, to);
  if (!isNew && it->second == to) return;
  it->second = to;
  clang::MacroInfo *info = preprocessor_.AllocateMacroInfo(where);
  if (*to) {
    clang::Token token;
    token.startToken();
    token.setKind(TokenKind::identifier);
    token.setIdentifierInfo(preprocessor_.getIdentifierInfo(to));
    token.setLocation(where);
    token.setLength(static_cast<unsigned>(std::string_view(to).size()));
    info->setTokens({token}, preprocessor_.getPreprocessorAllocator());
  }
  info->setDefinitionEndLoc(where);
  preprocessor_.appendDefMacroDirective(preprocessor_.getIdentifierInfo(macro), info, where);
}

void Hooks::MacroExpands(const clang::Token &name, const clang::MacroDefinition &definition, clang::SourceRange,
                         const clang::MacroArgs *) {
  if (!name.getIdentifierInfo()) return;
  std::string word = name.getIdentifierInfo()->getName().str();
  bool function = isFunctionQualifier(word), requires_ = word == "__requires";
  if (!function && !requires_) return;
  const clang::SourceManager &sources = ranges_.sources();
  const clang::MacroInfo *info = definition.getMacroInfo();
  if (!info || !sources.isInSystemHeader(info->getDefinitionLoc())) return;

  clang::SourceLocation where = sources.getExpansionLoc(name.getLocation());
  if (requires_) {
    if (auto place = find(where); place && (*place->first)[place->second].text == word)
      requirement(*place->first, place->second, where);
    return;
  }
  // A macro of the user may hold the whole declaration, or just its qualifiers.
  for (clang::SourceLocation level = name.getLocation(); level.isMacroID();
       level = sources.getImmediateMacroCallerLoc(level))
    if (functionQualifier(sources.getSpellingLoc(level), where, /*inMacro=*/true)) return;
  functionQualifier(where, where, /*inMacro=*/false);
}

std::optional<std::pair<const Hooks::Words *, std::size_t>> Hooks::find(clang::SourceLocation where) {
  auto [file, offset] = ranges_.sources().getDecomposedLoc(where);
  const Words &words = wordsOf(file);
  auto it = std::lower_bound(words.begin(), words.end(), offset,
                             [](const Word &w, unsigned wanted) { return w.offset < wanted; });
  if (it == words.end() || it->offset != offset) return {};
  return std::pair(&words, static_cast<std::size_t>(it - words.begin()));
}

bool Hooks::functionQualifier(clang::SourceLocation seen, clang::SourceLocation where, bool inMacro) {
  auto place = find(seen);
  if (!place) return false;
  const Words &words = *place->first;
  std::size_t at = place->second;
  if (words[at].text == "__tag" && at + 2 < words.size()) findings_.tags.insert(words[at + 2].text);

  std::size_t first = firstQualifier(words, at), end = at;
  while (end < words.size()) {
    TokenKind kind = words[end].kind;
    if (inMacro && words[end].startsLine) return false;
    if (kind == TokenKind::l_paren || kind == TokenKind::l_square) {
      end = behind(words, end);
      continue;
    }
    if (kind == TokenKind::semi || kind == TokenKind::l_brace) break;
    ++end;
  }
  if (inMacro && end >= words.size()) return false;
  bool definition = end < words.size() && words[end].kind == TokenKind::l_brace;
  redirect("__TANGRAM_CODELET", definition ? "__TANGRAM_CODELET_DEFINITION" : "__TANGRAM_SPECTRUM", where);

  Head head = Head::None;
  clang::SourceLocation user = inMacro ? where : clang::SourceLocation();
  if (std::tuple declaration(ranges_.sources().getFileID(seen), user, first); definition && headDone_ != declaration) {
    head = isPlainFunction(words, first, preprocessor_) ? Head::None : headBefore(words, first);
    headDone_ = declaration;
  }
  if (head == Head::Elsewhere && !findings_.reported) {
    diags_.report(kQualifierOrder, ranges_.of(where));
    findings_.reported = true;
  }
  redirect("__TANGRAM_HEAD",
           head == Head::Template      ? "__TANGRAM_TEMPLATE_HEAD"
           : head == Head::Constrained ? "__TANGRAM_CONSTRAINED_HEAD"
                                       : "",
           where);
  return true;
}

void Hooks::requirement(const Words &words, std::size_t at, clang::SourceLocation where) {
  std::size_t next = at + 1 < words.size() ? behind(words, at + 1) : words.size();
  bool right = next >= words.size() || words[next].kind == TokenKind::semi || words[next].kind == TokenKind::l_brace ||
               words[next].text == "__requires";
  // As a statement it would follow one, or open a block.
  TokenKind before = at > 0 ? words[at - 1].kind : TokenKind::semi;
  if (before == TokenKind::semi || before == TokenKind::l_brace || before == TokenKind::r_brace) right = false;
  if (right || findings_.reported) return;
  diags_.report(kMisplacedRequires, ranges_.of(where));
  findings_.reported = true;
}

} // namespace tangram::frontend
