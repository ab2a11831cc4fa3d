#include "Rewrite.h"

#include "Iterators.h"
#include "Messages.h"

#include <algorithm>
#include <clang/AST/Attr.h>
#include <clang/AST/Expr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/TypeLoc.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>
#include <llvm/Support/raw_ostream.h>
#include <set>

namespace tangram::tilek {

namespace {

/// What stands in a piece's place: texts, each with what it stands for.
struct Edit {
  Piece piece;
  std::vector<std::pair<std::string, Piece>> parts;
  long rank = 0; // of those at one place: the smaller first
};

clang::PrintingPolicy policyOf(const Places &places) {
  clang::PrintingPolicy policy(places.context().getLangOpts());
  policy.Bool = true;
  return policy;
}

/// The parameter that a place lies behind: A of A[i][j], *A, A[i].x.
const clang::ParmVarDecl *rootOf(const clang::Expr *e) {
  for (;;) {
    e = e->IgnoreParenCasts();
    if (const auto *s = clang::dyn_cast<clang::ArraySubscriptExpr>(e))
      e = s->getBase();
    else if (const auto *u = clang::dyn_cast<clang::UnaryOperator>(e); u && u->getOpcode() == clang::UO_Deref)
      e = u->getSubExpr();
    else if (const auto *m = clang::dyn_cast<clang::MemberExpr>(e))
      e = m->getBase();
    else
      break;
  }
  const auto *reference = clang::dyn_cast<clang::DeclRefExpr>(e);
  return reference ? clang::dyn_cast<clang::ParmVarDecl>(reference->getDecl()) : nullptr;
}

/// What a function's body changes, calls, and declares.
class Contents final : public clang::RecursiveASTVisitor<Contents> {
public:
  bool VisitBinaryOperator(clang::BinaryOperator *e) {
    if (e->isAssignmentOp()) write(e->getLHS(), e);
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator *e) {
    if (e->isIncrementDecrementOp()) write(e->getSubExpr(), e);
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr *e) {
    if (auto *f = clang::dyn_cast<clang::FunctionDecl>(e->getDecl())) used.push_back(f);
    if (auto *v = clang::dyn_cast<clang::VarDecl>(e->getDecl()); v && v->hasGlobalStorage()) used.push_back(v);
    if (auto *p = clang::dyn_cast<clang::ParmVarDecl>(e->getDecl())) parameters.emplace(p, e);
    return true;
  }
  /// Of A[i][j] the indices; what is left is a use of A itself.
  bool TraverseArraySubscriptExpr(clang::ArraySubscriptExpr *e) {
    std::vector<clang::Expr *> indices;
    const clang::Expr *base = e;
    while (const auto *s = clang::dyn_cast<clang::ArraySubscriptExpr>(base->IgnoreParenImpCasts())) {
      indices.push_back(const_cast<clang::Expr *>(s->getIdx()));
      base = s->getBase();
    }
    const auto *reference = clang::dyn_cast<clang::DeclRefExpr>(base->IgnoreParenImpCasts());
    const auto *parameter = reference ? clang::dyn_cast<clang::ParmVarDecl>(reference->getDecl()) : nullptr;
    if (!parameter || e->getType()->isPointerType() || e->getType()->isArrayType())
      return clang::RecursiveASTVisitor<Contents>::TraverseArraySubscriptExpr(e);
    return std::all_of(indices.begin(), indices.end(), [&](clang::Expr *index) { return TraverseStmt(index); });
  }
  bool VisitCallExpr(clang::CallExpr *e) {
    calls.push_back(e);
    return true;
  }
  bool VisitDeclStmt(clang::DeclStmt *s) {
    declarations.push_back(s);
    return true;
  }
  std::map<const clang::ParmVarDecl *, const clang::Expr *> written;
  std::map<const clang::ParmVarDecl *, const clang::Expr *> parameters; // themselves, not elements of theirs
  std::vector<const clang::Decl *> used;
  std::vector<const clang::CallExpr *> calls;
  std::vector<const clang::DeclStmt *> declarations;

private:
  void write(const clang::Expr *place, const clang::Expr *by) {
    if (clang::isa<clang::DeclRefExpr>(place->IgnoreParenCasts())) return; // the parameter itself
    if (const clang::ParmVarDecl *root = rootOf(place)) written.emplace(root, by);
  }
};

class Rewriter {
public:
  Rewriter(const Places &places, const std::vector<Region> &regions) : places_(places), regions_(regions) {}

  frontend::Rewritten run(const std::vector<Directive> &directives) {
    for (const Region &r : regions_) kernel(r);
    for (const Directive &d : directives) {
      bool kernel = std::any_of(regions_.begin(), regions_.end(),
                                [&](const Region &r) { return same(r.directive.range, d.range); });
      if (!kernel) edits_.push_back({d.piece, {}, 0});
    }
    leaveOut();
    std::stable_sort(edits_.begin(), edits_.end(), [](const Edit &a, const Edit &b) {
      return std::pair(a.piece.begin, a.rank) < std::pair(b.piece.begin, b.rank);
    });
    std::string original = places_.text({0, std::string::npos});
    frontend::Rewritten result(original);
    result.add("#include <tangram/tangram.h>\n", 0, 0);
    std::size_t at = 0;
    for (const Edit &e : edits_) {
      if (e.piece.begin < at) continue; // within what is left out
      result.copy(at, e.piece.begin);
      for (const auto &[text, piece] : e.parts) result.add(text, piece.begin, piece.end);
      at = e.piece.end;
    }
    result.copy(at, original.size());
    return result;
  }

private:
  using Parts = std::vector<std::pair<std::string, Piece>>;

  void kernel(const Region &r) {
    const clang::FunctionDecl *f = r.function;
    Contents contents;
    contents.TraverseStmt(f->getBody());
    for (const Section &s : r.directive.sections) checkSection(r, s);

    Parts params, conditions;
    for (const clang::ParmVarDecl *p : f->parameters()) {
      Piece piece = places_.of(p->getSourceRange());
      if (!params.empty()) params.emplace_back(", ", piece);
      parameter(r, p, contents, piece, params, conditions);
    }
    const Piece name = places_.of(clang::SourceRange(f->getLocation()));
    Parts header;
    auto declaration = [&](const char *qualifiers) {
      header.emplace_back(qualifiers, name);
      header.emplace_back("void ", name);
      header.emplace_back(f->getNameAsString(), name);
      header.emplace_back("(", name);
      header.insert(header.end(), params.begin(), params.end());
      header.emplace_back(")", name);
    };
    declaration("__spectrum ");
    header.insert(header.end(), conditions.begin(), conditions.end());
    header.emplace_back("; ", name);
    declaration("__codelet __tag(serial) ");
    clang::FunctionTypeLoc type = f->getFunctionTypeLoc();
    if (!type)
      fail(kFunction, places_.range(f->getLocation()), f->getNameAsString(), "has a type by another name",
           "write its parameters");
    edits_.push_back({{places_.begin(f->getBeginLoc()), places_.end(type.getRParenLoc())}, std::move(header), 0});

    Parts counts;
    auto count = [&](const std::string &machine, std::size_t d, const Text &text) {
      counts.emplace_back(fmt::format("const long long {} = (", countName(machine, d)), text.piece);
      counts.emplace_back(text.text, text.piece);
      counts.emplace_back(");", text.piece);
    };
    if (r.directive.threads) count("threads", 0, *r.directive.threads);
    for (const auto &[d, text] : r.directive.gangs) count("gangs", d, text);
    for (const auto &[d, text] : r.directive.workers) count("workers", d, text);
    edits_.push_back({pieceOf(r.directive), std::move(counts), 0});

    iterators(f, contents);
    body(contents);
  }

  static bool same(const ast::SourceRange &a, const ast::SourceRange &b) {
    return a.line == b.line && a.column == b.column;
  }
  Piece pieceOf(const KernelDirective &kernel) const {
    for (const auto &[range, piece] : pieces)
      if (same(range, kernel.range)) return piece;
    return {};
  }

  void checkSection(const Region &r, const Section &s) {
    const clang::FunctionDecl *f = r.function;
    for (const clang::ParmVarDecl *p : f->parameters()) {
      if (p->getName() != s.name) continue;
      auto [element, rank] = shapeOf(p);
      if (rank == 0 && !s.extents.empty())
        fail(kScalarSection, s.range, s.name, p->getType().getAsString(policyOf(places_)));
      if (rank > 0 && s.extents.size() != rank) {
        auto dimensions = [](std::size_t n) { return fmt::format("{} dimension{}", n, n == 1 ? "" : "s"); };
        fail(kRank, s.range, s.name, dimensions(s.extents.size()), p->getOriginalType().getAsString(policyOf(places_)),
             dimensions(rank));
      }
      return;
    }
    std::string advice = "pass it as a parameter, and name that";
    std::vector<std::string> names;
    for (const clang::ParmVarDecl *p : f->parameters()) names.push_back(p->getNameAsString());
    if (std::vector<std::string> near = nearest(s.name, names); !near.empty())
      advice = "write " + suggest(s.name, names);
    fail(kNotParameter, s.range, s.name, f->getNameAsString(), advice);
  }

  /// The type of an element, and how many pointers and arrays are around it.
  std::pair<clang::QualType, std::size_t> shapeOf(const clang::ParmVarDecl *p) const {
    clang::QualType type = p->getOriginalType();
    std::size_t rank = 0;
    for (;;) {
      if (const clang::ArrayType *array = places_.context().getAsArrayType(type))
        type = array->getElementType();
      else if (type->isPointerType())
        type = type->getPointeeType();
      else
        break;
      ++rank;
    }
    return {type, rank};
  }

  void parameter(const Region &r, const clang::ParmVarDecl *p, const Contents &contents, Piece piece, Parts &params,
                 Parts &conditions) {
    auto [element, rank] = shapeOf(p);
    std::string name = p->getNameAsString();
    if (rank == 0) {
      params.emplace_back(places_.text(piece), piece);
      return;
    }
    const Section *s = r.directive.section(name);
    ast::SourceRange where = places_.range(p->getSourceRange());
    if (!s) {
      std::string shape;
      for (std::size_t d = 0; d < rank; ++d) shape += fmt::format("[0:n{}]", d);
      fail(kNoSection, where, name, shape);
    }
    std::string spelled = element.getUnqualifiedType().getAsString(policyOf(places_));
    if (!element->isArithmeticType() && !element->isRecordType()) fail(kElement, where, name, spelled);
    if (auto use = contents.parameters.find(p); use != contents.parameters.end()) {
      std::string element = "[i]";
      for (std::size_t d = 1; d < rank; ++d) element += fmt::format("[{}]", "ijkl"[std::min<std::size_t>(d, 3)]);
      fail(kPointerUse, places_.range(use->second->getSourceRange()), name, element);
    }
    auto it = contents.written.find(p);
    bool written = it != contents.written.end(), writes = s->mode.empty() ? written : s->mode != "r";
    if (written && !writes) {
      Diagnostic d = makeDiagnostic(kReadOnly, places_.range(it->second->getSourceRange()), name, s->mode);
      d.notes.push_back({s->modeRange, "its mode is said here"});
      throw DiagnosticError(std::move(d));
    }
    if (writes && element.isConstQualified())
      fail(kConstWritten, s->range, name, s->mode, p->getOriginalType().getAsString(policyOf(places_)));
    params.emplace_back(fmt::format("{}tangram::Array<{}, {}> {}", writes ? "" : "const ", rank, spelled, name), piece);
    for (std::size_t d = 0; d < rank; ++d) {
      const Text &extent = s->extents[d];
      conditions.emplace_back(fmt::format(" __requires({}.size({}) == (", name, d), extent.piece);
      conditions.emplace_back(extent.text, extent.piece);
      conditions.emplace_back("))", extent.piece);
    }
  }

  void iterators(const clang::FunctionDecl *f, const Contents &contents) {
    const Iterators found = iteratorsOf(f);
    for (const clang::ForStmt *loop : found.loops) {
      const auto *assign = clang::cast<clang::BinaryOperator>(loop->getInit());
      const auto *variable = clang::cast<clang::DeclRefExpr>(assign->getLHS()->IgnoreParens())->getDecl();
      std::size_t at = places_.begin(assign->getBeginLoc());
      std::string type = variable->getType().getUnqualifiedType().getAsString(policyOf(places_));
      edits_.push_back({{at, at}, {{type + " ", {at, at}}}, 0});
    }
    for (const clang::DeclStmt *s : contents.declarations) {
      Parts kept;
      bool any = false;
      const Piece piece = places_.of(s->getSourceRange());
      for (const clang::Decl *d : s->decls()) {
        const auto *v = clang::dyn_cast<clang::VarDecl>(d);
        if (v && found.own.count(v)) {
          any = true;
          continue;
        }
        std::string text;
        llvm::raw_string_ostream out(text);
        d->print(out, policyOf(places_));
        kept.emplace_back(text + "; ", piece);
      }
      if (any) edits_.push_back({piece, std::move(kept), 0});
    }
  }

  /// A function of C converts what it is given to the type of its parameter; one of C++'s library may be overloaded.
  void body(const Contents &contents) {
    if (places_.context().getLangOpts().CPlusPlus) return;
    long number = 0;
    for (const clang::CallExpr *call : contents.calls) {
      const clang::FunctionDecl *callee = call->getDirectCallee();
      if (!callee || places_.inFile(callee->getLocation())) continue;
      for (unsigned i = 0; i < call->getNumArgs() && i < callee->getNumParams(); ++i) {
        const clang::Expr *arg = call->getArg(i);
        clang::QualType given = arg->IgnoreImpCasts()->getType(), wanted = arg->getType();
        if (!wanted->isArithmeticType() || arg->getBeginLoc().isMacroID() || arg->getEndLoc().isMacroID()) continue;
        if (places_.context().hasSameUnqualifiedType(given, wanted)) continue;
        const Piece piece = places_.of(arg->getSourceRange());
        ++number;
        edits_.push_back({{piece.begin, piece.begin},
                          {{fmt::format("({})(", wanted.getUnqualifiedType().getAsString(policyOf(places_))),
                            {piece.begin, piece.begin}}},
                          number});
        edits_.push_back({{piece.end, piece.end}, {{")", {piece.end, piece.end}}}, -number});
      }
    }
  }

  /// Functions and variables of the file that no kernel, and no codelet, needs.
  void leaveOut() {
    std::set<const clang::Decl *> needed, kernels;
    std::vector<const clang::FunctionDecl *> open;
    auto need = [&](const clang::Decl *d) {
      if (!needed.insert(d->getCanonicalDecl()).second) return;
      const clang::FunctionDecl *definition = nullptr;
      if (const auto *f = clang::dyn_cast<clang::FunctionDecl>(d); f && f->hasBody(definition))
        open.push_back(definition);
      Contents contents;
      if (const auto *v = clang::dyn_cast<clang::VarDecl>(d))
        if (const clang::Expr *init = v->getAnyInitializer()) contents.TraverseStmt(const_cast<clang::Expr *>(init));
      for (const clang::Decl *used : contents.used) needed.insert(used->getCanonicalDecl());
    };
    for (const Region &r : regions_) {
      kernels.insert(r.function->getCanonicalDecl());
      need(r.function);
    }
    const auto &all = places_.context().getTranslationUnitDecl()->decls();
    for (const clang::Decl *d : all)
      if (d->hasAttr<clang::AnnotateAttr>() && places_.inFile(d->getLocation())) need(d);
    while (!open.empty()) {
      const clang::FunctionDecl *f = open.back();
      open.pop_back();
      Contents contents;
      contents.TraverseStmt(f->getBody());
      for (const clang::Decl *used : contents.used) need(used);
      if (!kernels.count(f->getCanonicalDecl())) body(contents);
    }
    std::map<std::size_t, std::pair<std::size_t, bool>> pieces; // begin -> end, all of it is needless
    for (const clang::Decl *d : all) {
      const bool function = clang::isa<clang::FunctionDecl>(d), variable = clang::isa<clang::VarDecl>(d);
      if ((!function && !variable) || d->isImplicit() || !places_.inFile(d->getBeginLoc()) ||
          d->getBeginLoc().isMacroID())
        continue;
      const auto *f = clang::dyn_cast<clang::FunctionDecl>(d);
      const bool kernel = kernels.count(d->getCanonicalDecl());
      if (kernel && f->isThisDeclarationADefinition()) continue;
      const bool needless = kernel || !needed.count(d->getCanonicalDecl());
      const Piece piece = places_.of(d->getSourceRange());
      auto [it, isNew] = pieces.emplace(piece.begin, std::pair(piece.end, needless));
      if (isNew) continue;
      it->second.first = std::max(it->second.first, piece.end);
      it->second.second &= needless;
    }
    for (const auto &[begin, rest] : pieces)
      if (rest.second) edits_.push_back({{begin, rest.first}, {}, -1000000});
  }

public:
  std::vector<std::pair<ast::SourceRange, Piece>> pieces; // of all directives

private:
  const Places &places_;
  const std::vector<Region> &regions_;
  std::vector<Edit> edits_;
};

} // namespace

frontend::Rewritten rewritten(const Places &places, const std::vector<Region> &regions,
                              const std::vector<Directive> &directives) {
  Rewriter rewriter(places, regions);
  for (const Directive &d : directives) rewriter.pieces.emplace_back(d.range, d.piece);
  return rewriter.run(directives);
}

} // namespace tangram::tilek
