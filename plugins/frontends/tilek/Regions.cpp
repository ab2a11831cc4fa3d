#include "Regions.h"

#include "Messages.h"

#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>

namespace tangram::tilek {

bool Places::inFile(clang::SourceLocation where) const {
  const clang::SourceManager &sources = context_.getSourceManager();
  return where.isValid() && sources.getFileID(sources.getFileLoc(where)) == sources.getMainFileID();
}

std::size_t Places::begin(clang::SourceLocation where) const {
  const clang::SourceManager &sources = context_.getSourceManager();
  return sources.getFileOffset(sources.getFileLoc(where));
}

std::size_t Places::end(clang::SourceLocation where) const {
  const clang::SourceManager &sources = context_.getSourceManager();
  // What a macro made ends where the use of the macro does.
  clang::SourceLocation last = where.isMacroID() ? sources.getExpansionRange(where).getEnd() : where;
  return sources.getFileOffset(last) + clang::Lexer::MeasureTokenLength(last, sources, context_.getLangOpts());
}

std::string Places::text(Piece piece) const {
  const clang::SourceManager &sources = context_.getSourceManager();
  llvm::StringRef all = sources.getBufferData(sources.getMainFileID());
  return all.slice(piece.begin, piece.end).str();
}

namespace {

struct Found {
  const clang::FunctionDecl *function = nullptr;
  const clang::Stmt *stmt = nullptr;
  std::size_t begin = 0;
};

/// All statements of the file's functions, by where they begin; of those that begin together, the outermost first.
class Statements final : public clang::RecursiveASTVisitor<Statements> {
public:
  explicit Statements(const Places &places) : places_(places) {}

  bool TraverseFunctionDecl(clang::FunctionDecl *function) {
    const clang::FunctionDecl *outer = std::exchange(function_, function);
    bool go = clang::RecursiveASTVisitor<Statements>::TraverseFunctionDecl(function);
    function_ = outer;
    return go;
  }
  bool VisitStmt(clang::Stmt *stmt) {
    if (function_ && places_.inFile(stmt->getBeginLoc()))
      found.push_back({function_, stmt, places_.begin(stmt->getBeginLoc())});
    return true;
  }
  std::vector<Found> found;

private:
  const Places &places_;
  const clang::FunctionDecl *function_ = nullptr;
};

bool isWithin(const Places &places, std::size_t at, const clang::FunctionDecl *function) {
  if (!function->hasBody() || !places.inFile(function->getBody()->getBeginLoc())) return false;
  Piece body = places.of(function->getBody()->getSourceRange());
  return body.begin < at && at < body.end;
}

/// What a kernel's function may not be.
void checkFunction(const Places &places, const Region &region) {
  const clang::FunctionDecl *f = region.function;
  std::string name = f->getNameAsString();
  ast::SourceRange where = places.range(f->getLocation());
  if (!f->getReturnType()->isVoidType())
    fail(kFunction, where, name, "has a result", "return nothing, and write results through a pointer: float *sum");
  if (f->isVariadic()) fail(kFunction, where, name, "takes any number of arguments", "name its parameters");
  if (f->getTemplatedKind() != clang::FunctionDecl::TK_NonTemplate || f->isCXXClassMember() ||
      !f->getDeclContext()->getRedeclContext()->isTranslationUnit())
    fail(kFunction, where, name, "is no plain function",
         "write the kernel as a function outside of classes, namespaces "
         "and templates");
  const auto *body = clang::dyn_cast<clang::CompoundStmt>(f->getBody());
  if (!body) fail(kFunction, where, name, "has a try block for its body", "write a block");
  bool seen = false, direct = false;
  for (const clang::Stmt *s : body->body()) {
    ast::SourceRange at = places.range(s->getSourceRange());
    if (s == region.block) {
      seen = direct = true;
      continue;
    }
    if (clang::isa<clang::NullStmt>(s)) continue;
    if (!seen && clang::isa<clang::DeclStmt>(s)) continue;
    if (const auto *r = clang::dyn_cast<clang::ReturnStmt>(s); seen && r && !r->getRetValue()) continue;
    fail(kBeside, at, name, seen ? "something stands behind the region" : "something is done in front of the region");
  }
  if (!direct) fail(kBeside, places.range(region.block->getBeginLoc()), name, "the region stands in another statement");
}

} // namespace

std::vector<Region> regionsOf(const Places &places, const std::vector<Directive> &directives,
                              const ast::SourceRange &file) {
  Statements statements(places);
  statements.TraverseDecl(places.context().getTranslationUnitDecl());
  std::stable_sort(statements.found.begin(), statements.found.end(),
                   [](const Found &a, const Found &b) { return a.begin < b.begin; });
  auto behind = [&](const Directive &d, const char *what) {
    auto next = std::lower_bound(statements.found.begin(), statements.found.end(), d.piece.end,
                                 [](const Found &f, std::size_t at) { return f.begin < at; });
    bool inside = std::any_of(statements.found.begin(), statements.found.end(),
                              [&](const Found &f) { return isWithin(places, d.piece.begin, f.function); });
    if (!inside) fail(kOutside, d.range, what);
    if (next == statements.found.end() || !isWithin(places, d.piece.begin, next->function))
      fail(kNotBefore, d.range, what);
    return *next;
  };

  std::vector<Region> regions;
  for (const Directive &d : directives) {
    const std::string word = d.words.empty() ? "" : d.words.front().text;
    if (word == "kernel") {
      Region region;
      region.directive = readKernel(d);
      Found next = behind(d, "a block { ... }");
      region.function = next.function;
      region.block = clang::dyn_cast<clang::CompoundStmt>(next.stmt);
      if (!region.block) fail(kNotBefore, d.range, "a block { ... }");
      for (const Region &other : regions)
        if (other.function == region.function) fail(kTwoKernels, d.range, region.function->getNameAsString());
      checkFunction(places, region);
      regions.push_back(std::move(region));
    } else if (word == "loop") {
      LoopDirective loop = readLoop(d);
      Found next = behind(d, "a for");
      const auto *stmt = clang::dyn_cast<clang::ForStmt>(next.stmt);
      if (!stmt) fail(kNotBefore, d.range, "a for");
      auto region = std::find_if(regions.begin(), regions.end(), [&](const Region &r) {
        Piece block = places.of(r.block->getSourceRange());
        return block.begin < d.piece.begin && d.piece.begin < block.end;
      });
      if (region == regions.end()) fail(kOutsideKernel, d.range);
      for (const auto &[other, _] : region->loops)
        if (other == stmt) fail(kTwice, d.range, "how this loop is cut");
      region->loops.emplace_back(stmt, std::move(loop));
    } else if (word == "dataenv") {
      fail(kDataEnvironment, d.words.front().range);
    } else {
      fail(kDirective, d.words.empty() ? d.range : d.words.front().range, shown(word));
    }
  }
  if (regions.empty()) fail(kNoKernels, {file.file, 1, 1, 1, 1});
  return regions;
}

} // namespace tangram::tilek
