#include "Forward.h"

#include "Messages.h"

#include <algorithm>
#include <clang/Basic/DiagnosticAST.h>
#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Tooling/Inclusions/StandardLibrary.h>
#include <fmt/format.h>
#include <set>

namespace tangram::frontend {
namespace {

constexpr unsigned kMaxErrors = 10;

/// The identifiers on the line of `location`.
std::vector<std::pair<clang::SourceLocation, std::string>> wordsOfLine(const Ranges &ranges,
                                                                       clang::SourceLocation location) {
  std::vector<std::pair<clang::SourceLocation, std::string>> result;
  const clang::SourceManager &sources = ranges.sources();
  auto [file, offset] = sources.getDecomposedLoc(sources.getFileLoc(location));
  std::optional<llvm::StringRef> text = sources.getBufferDataOrNone(file);
  if (!text || offset > text->size()) return result;
  std::size_t begin = text->rfind('\n', offset);
  begin = begin == llvm::StringRef::npos ? 0 : begin + 1;
  std::size_t end = text->find('\n', offset);
  clang::Lexer lexer(sources.getLocForStartOfFile(file), ranges.language(), text->begin(), text->begin() + begin,
                     text->end());
  clang::Token token;
  while (!lexer.LexFromRawLexer(token) && sources.getFileOffset(token.getLocation()) < end)
    if (token.is(clang::tok::raw_identifier)) result.emplace_back(token.getLocation(), token.getRawIdentifier().str());
  return result;
}

std::string firstWord(const Ranges &ranges, clang::SourceLocation location) {
  clang::SourceLocation where = ranges.sources().getFileLoc(location);
  clang::Token token;
  if (clang::Lexer::getRawToken(where, token, ranges.sources(), ranges.language())) return "";
  return token.is(clang::tok::raw_identifier) ? token.getRawIdentifier().str() : "";
}

/// A name of the standard library that stands without `std::`: what to write, and the header; empty where it is none.
std::pair<std::string, std::string> unqualifiedName(const std::string &word) {
  // Of names that are in both, C++ has the overloads.
  auto symbol = clang::tooling::stdlib::Symbol::named("std::", word);
  if (!symbol) symbol = clang::tooling::stdlib::Symbol::named("", word, clang::tooling::stdlib::Lang::C);
  if (!symbol || symbol->headers().empty()) return {};
  return {symbol->qualifiedName().str(), symbol->headers().front().name().str()};
}

/// How a function of the language is called; null for others.
const char *formsOf(llvm::StringRef function) {
  if (function == "partition")
    return "partition(c, n, start, inc, end): n, then three sequence(...), for each dimension that is cut, of at most "
           "as "
           "many as the container has; rows first";
  if (function == "sequence")
    return "sequence(a), sequence(start, inc, end), or sequence(c, start, inc, end) where c is an Array<1, T>";
  if (function == "map")
    return "map(f, c...): a spectrum, of a template with its arguments, map(f<float>, c), and what it runs over";
  if (function == "atomicCompareExchange") return "atomicCompareExchange(target, expected, desired)";
  if (function.starts_with("atomic") || function == "orderedAdd")
    return "the target, an element of a container or a __shared variable, and a value";
  return nullptr;
}

/// The NAME of `std::NAME` at `location`, and the header of the standard library that declares it; empty where it is
/// nothing of that.
std::pair<std::string, std::string> standardName(const Ranges &ranges, clang::SourceLocation location) {
  std::string before;
  for (const auto &[where, text] : wordsOfLine(ranges, location)) {
    if (before == "std" && ranges.sources().getFileOffset(where) >= ranges.sources().getFileOffset(location))
      if (auto symbol = clang::tooling::stdlib::Symbol::named("std::", text); symbol && !symbol->headers().empty())
        return {text, symbol->headers().front().name().str()};
    before = text;
  }
  return {};
}

} // namespace

bool isOutput(llvm::StringRef name) {
  static const std::set<llvm::StringRef> known{"printf", "fprintf", "dprintf", "vprintf", "vfprintf", "puts",
                                               "fputs",  "putchar", "putc",    "fputc",   "fwrite",   "perror",
                                               "cout",   "cerr",    "clog",    "print",   "println"};
  return known.count(name) != 0;
}

void Forward::BeginSourceFile(const clang::LangOptions &language, const clang::Preprocessor *preprocessor) {
  language_ = &language;
  preprocessor_ = preprocessor;
}

void Forward::flush() {
  if (!pending_) return;
  ast::SourceRange &range = pending_->range;
  if (range.file && !range.line) range = {range.file, 1, 1, 1, 1};
  if (pending_->severity == Severity::Error || !homeless_) diags_.add(std::move(*pending_));
  pending_.reset();
}

std::optional<Diagnostic> Forward::inOurWords(const clang::Diagnostic &info, const Ranges &ranges) const {
  clang::SourceLocation where = info.getLocation();
  if (where.isInvalid()) return {};
  std::string word = firstWord(ranges, where);

  // A misspelt qualifier derails the parser somewhere on its line.
  if (preprocessor_)
    for (const auto &[location, text] : wordsOfLine(ranges, where)) {
      if (text.rfind("__", 0) != 0) continue;
      clang::IdentifierInfo *identifier = preprocessor_->getIdentifierInfo(text);
      if (identifier->hasMacroDefinition() || identifier->getTokenID() != clang::tok::identifier) continue;
      if (identifier->getBuiltinID() || identifier->hadMacroDefinition()) continue;
      if (std::find(qualifierNames().begin(), qualifierNames().end(), text) != qualifierNames().end())
        return makeDiagnostic(kNoHeader, ranges.of(location), text);
      std::vector<std::string> near = nearest(text, qualifierNames());
      if (near.empty() && text != word) continue;
      return makeDiagnostic(kUnknownQualifier, ranges.of(location), text,
                            near.empty() ? "known qualifiers: " + fmt::format("{}", fmt::join(qualifierNames(), " "))
                                         : "write " + suggest(text, qualifierNames()));
    }
  bool undeclared = info.getID() == clang::diag::err_undeclared_var_use ||
                    info.getID() == clang::diag::err_undeclared_var_use_suggest;
  if (undeclared && findings_.tags.count(word)) return makeDiagnostic(kTagCalled, ranges.of(where), word);
  // No header helps there.
  if (undeclared && isOutput(word)) return makeDiagnostic(kOutput, ranges.of(where), word);
  if (undeclared || info.getID() == clang::diag::err_no_member || info.getID() == clang::diag::err_no_member_suggest)
    if (auto [name, header] = standardName(ranges, where); !name.empty())
      return isOutput(name) ? makeDiagnostic(kOutput, ranges.of(where), "std::" + name)
                            : makeDiagnostic(kMissingHeader, ranges.of(where), name, header);
  if (info.getID() == clang::diag::err_undeclared_var_use)
    if (auto [name, header] = unqualifiedName(word); !name.empty())
      return makeDiagnostic(kUnqualified, ranges.of(where), word, name, header);
  if (info.getID() == clang::diag::err_ovl_no_viable_function_in_call)
    if (const char *forms = formsOf(word)) return makeDiagnostic(kForms, ranges.of(where), word, forms);
  if (info.getID() == clang::diag::err_typecheck_sclass_fscope ||
      info.getID() == clang::diag::err_typecheck_sclass_func)
    for (const auto &[location, text] : wordsOfLine(ranges, where))
      if (text == "__tunable") return makeDiagnostic(kMisplacedTunable, ranges.of(location));
  return {};
}

std::string Forward::adviceFor(unsigned id, const std::string &message) const {
  const bool ofContainer = message.find("Array<") != std::string::npos;
  switch (id) {
  case clang::diag::err_ovl_no_viable_function_in_init:
    return ofContainer ? "write how large it is, an extent a dimension: Array<2, float> t(rows, columns); or what it "
                         "is: Array<1, float> parts = map(...);"
                       : "";
  case clang::diag::err_no_member:
  case clang::diag::err_no_member_suggest:
    return ofContainer ? "a container has size(), size(dimension) and elements, in[i] or in[i][j], and no iterators"
                       : "";
  case clang::diag::err_typecheck_convert_incompatible:
    return message.find("MapResult") != std::string::npos
               ? "a map gives a container with an element for each call: Array<1, float> parts = map(...); return "
                 "sum(parts);"
               : "";
  case clang::diag::err_for_range_invalid:
  case clang::diag::err_for_range_iter_deduction_failure:
    return "write a counting loop: for (unsigned i = 0; i < c.size(); ++i)";
  case clang::diag::err_explicit_instantiation_undefined_func_template:
    return "to ask for an instance of a spectrum template write __instance(NAME<TYPE>);";
  case clang::diag::err_ovl_no_viable_oper:
    return "operators of structs are functions with their names: Point operator+(Point a, Point b); a container takes "
           "the "
           "results of a map that gives such elements";
  default: return "";
  }
}

void Forward::HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) {
  using Level = clang::DiagnosticsEngine;
  clang::DiagnosticConsumer::HandleDiagnostic(level, info); // counts
  if (silent_ || level == Level::Ignored || level == Level::Remark) return;
  llvm::SmallString<256> text;
  info.FormatDiagnostic(text);
  std::string message = text.str().str();

  std::optional<Ranges> ranges;
  ast::SourceRange range = file_;
  bool users = true;
  if (info.hasSourceManager() && language_ && info.getLocation().isValid()) {
    ranges.emplace(info.getSourceManager(), *language_, arena_, instead_);
    range = ranges->of(info.getLocation());
    for (const clang::CharSourceRange &marked : info.getRanges()) {
      if (!marked.isValid() || !marked.isTokenRange()) continue;
      ast::SourceRange wider = ranges->of(marked.getAsRange());
      if (wider.line == range.line && wider.column == range.column) range = wider;
    }
    users = ranges->isUsers(info.getLocation());
  } else if (level >= Level::Error) {
    users = false; // at the end of a macro's expansion, for one: a note says where
  }

  if (level == Level::Note) {
    if (!pending_ || !keepNotes_ || !users) return;
    if (homeless_) {
      pending_->range = range;
      homeless_ = false;
    } else if (pending_->notes.size() < 8) {
      pending_->notes.push_back({range, std::move(message)});
    }
    return;
  }

  flush();
  bool error = level >= Level::Error;
  keepNotes_ = true;
  homeless_ = !users;
  if (!error) {
    if (users)
      pending_ = makeDiagnostic(kClangWarning, range, message);
    else
      keepNotes_ = false;
    return;
  }
  ++errors_;
  if (findings_.reported) return;
  if (ranges)
    if (std::optional<Diagnostic> ours = inOurWords(info, *ranges)) {
      pending_ = std::move(*ours);
      homeless_ = keepNotes_ = false;
      silent_ = true; // what follows is the same mistake
      return;
    }
  pending_ = makeDiagnostic(kClangError, range, message);
  pending_->advice = adviceFor(info.getID(), pending_->message);
  if (level == Level::Fatal || errors_ == kMaxErrors) {
    flush();
    silent_ = true;
  }
}

} // namespace tangram::frontend
