#include "Source.h"

#include "Messages.h"
#include "Regions.h"
#include "Rewrite.h"
#include "tangram/clang-family/Ranges.h"
#include "tangram/clang-family/Run.h"

#include <algorithm>
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/Pragma.h>
#include <clang/Lex/Preprocessor.h>
#include <exception>
#include <fmt/format.h>

namespace tangram::tilek {

std::string countName(const std::string &machine, std::size_t dimension) {
  return fmt::format("tilek_{}_{}", machine, dimension);
}

namespace {

/// What one run hands around.
struct Reading {
  frontend::ClangRun &run;
  std::optional<frontend::Ranges> ranges;
  std::vector<Directive> directives;
  std::optional<Source> source;
  std::exception_ptr error; // nothing is thrown through Clang
};

/// Keeps the tokens of `#pragma tilek`.
class Handler final : public clang::PragmaHandler {
public:
  explicit Handler(Reading &reading) : clang::PragmaHandler("tilek"), reading_(reading) {}
  void HandlePragma(clang::Preprocessor &preprocessor, clang::PragmaIntroducer introducer, clang::Token &) override {
    const clang::SourceManager &sources = preprocessor.getSourceManager();
    Directive directive;
    auto offset = [&](clang::SourceLocation where) {
      return static_cast<std::size_t>(sources.getFileOffset(sources.getFileLoc(where)));
    };
    clang::Token token;
    std::size_t end = 0;
    for (preprocessor.Lex(token); token.isNot(clang::tok::eod); preprocessor.Lex(token)) {
      Word word;
      word.text = preprocessor.getSpelling(token);
      word.name = token.getIdentifierInfo() != nullptr;
      word.number = token.is(clang::tok::numeric_constant);
      word.range = reading_.ranges->of(token.getLocation());
      word.piece.begin = offset(token.getLocation());
      clang::SourceLocation last = token.getLocation();
      if (last.isMacroID()) last = sources.getExpansionRange(last).getEnd();
      word.piece.end =
          sources.getFileOffset(last) + clang::Lexer::MeasureTokenLength(last, sources, preprocessor.getLangOpts());
      directive.words.push_back(std::move(word));
    }
    end = offset(token.getLocation());
    if (!sources.isInMainFile(sources.getFileLoc(introducer.Loc))) return; // a header's, which is not read
    directive.range = reading_.ranges->of(introducer.Loc);
    if (!directive.words.empty()) {
      directive.range.endLine = directive.words.back().range.endLine;
      directive.range.endColumn = directive.words.back().range.endColumn;
    }
    std::size_t begin = offset(introducer.Loc);
    // From the # on, which may stand further left.
    llvm::StringRef text = sources.getBufferData(sources.getMainFileID());
    while (begin > 0 && text[begin] != '#' && text[begin - 1] != '\n') --begin;
    directive.piece = {begin, std::max(end, begin)};
    if (introducer.Kind != clang::PIK_HashPragma) directive.piece = {offset(introducer.Loc), offset(introducer.Loc)};
    reading_.directives.push_back(std::move(directive));
  }

private:
  Reading &reading_;
};

class Consumer final : public clang::ASTConsumer {
public:
  explicit Consumer(Reading &reading) : reading_(reading) {}
  void HandleTranslationUnit(clang::ASTContext &context) override {
    if (context.getDiagnostics().hasErrorOccurred()) return;
    try {
      Places places(context, *reading_.ranges);
      std::vector<Region> regions = regionsOf(places, reading_.directives, reading_.run.file());
      Source source;
      source.text = rewritten(places, regions, reading_.directives);
      for (Region &r : regions) {
        Kernel kernel;
        kernel.name = r.function->getNameAsString();
        kernel.directive = std::move(r.directive);
        for (auto &[loop, directive] : r.loops) {
          ast::SourceRange at = places.range(loop->getSourceRange());
          kernel.loops.emplace(std::pair(at.line, at.column), std::move(directive));
        }
        source.kernels.push_back(std::move(kernel));
      }
      reading_.source = std::move(source);
    } catch (...) {
      reading_.error = std::current_exception();
    }
  }

private:
  Reading &reading_;
};

class Action final : public clang::ASTFrontendAction {
public:
  explicit Action(Reading &reading) : reading_(reading) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler, llvm::StringRef) override {
    reading_.ranges.emplace(compiler.getSourceManager(), compiler.getLangOpts(), reading_.run.arena());
    compiler.getPreprocessor().AddPragmaHandler(new Handler(reading_)); // which owns it
    return std::make_unique<Consumer>(reading_);
  }

private:
  Reading &reading_;
};

} // namespace

std::optional<Source> readSource(const FrontendRequest &request, ast::Arena &arena, DiagnosticEngine &diags) {
  try {
    frontend::ClangRun run(request, arena, diags);
    const bool cpp = request.file.extension() == ".cpp";
    std::vector<std::string> words{"clang", "-fsyntax-only"};
    if (cpp)
      words.insert(words.end(), {"-x", "c++", "-std=c++20"});
    else
      words.insert(words.end(), {"-x", "c", "-std=gnu17"});
    for (std::string &word : frontend::headerFolders()) words.push_back(std::move(word));
    words.insert(words.end(), {"-D__TANGRAM__=1", "-DNDEBUG", "-Wno-unknown-pragmas", "-Wno-source-uses-openmp"});
    Reading reading{run, {}, {}, {}, {}};
    Action action(reading);
    bool done = run.execute(std::move(words), action);
    if (reading.error) std::rethrow_exception(reading.error);
    if (done) return std::move(reading.source);
  } catch (DiagnosticError &error) {
    diags.add(std::move(error.diagnostic));
  }
  return {};
}

} // namespace tangram::tilek
