#include "Iterators.h"

#include <clang/AST/Expr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <map>

namespace tangram::tilek {

namespace {

/// The variable that `i = first` of a loop sets.
const clang::VarDecl *setBy(const clang::ForStmt *loop) {
  const auto *assign = clang::dyn_cast_or_null<clang::BinaryOperator>(loop->getInit());
  if (!assign || assign->getOpcode() != clang::BO_Assign) return nullptr;
  const auto *reference = clang::dyn_cast<clang::DeclRefExpr>(assign->getLHS()->IgnoreParens());
  const auto *variable = reference ? clang::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
  if (!variable || !variable->isLocalVarDecl() || variable->isStaticLocal() || variable->hasInit()) return nullptr;
  return variable->getType()->isIntegerType() && !variable->getType().isVolatileQualified() ? variable : nullptr;
}

class Uses final : public clang::RecursiveASTVisitor<Uses> {
public:
  bool TraverseForStmt(clang::ForStmt *loop) {
    const clang::VarDecl *variable = setBy(loop);
    if (variable && open_[variable] > 0) shared_.insert(variable); // a loop in a loop over the same variable
    // The first value is computed in front of the loop.
    if (variable) {
      auto *assign = clang::cast<clang::BinaryOperator>(loop->getInit());
      TraverseStmt(assign->getRHS());
      loops.push_back(loop);
      ++open_[variable];
    } else if (loop->getInit()) {
      TraverseStmt(loop->getInit());
    }
    for (clang::Stmt *part :
         {static_cast<clang::Stmt *>(loop->getConditionVariableDeclStmt()), static_cast<clang::Stmt *>(loop->getCond()),
          static_cast<clang::Stmt *>(loop->getInc()), loop->getBody()})
      if (part) TraverseStmt(part);
    if (variable) --open_[variable];
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr *reference) {
    const auto *variable = clang::dyn_cast<clang::VarDecl>(reference->getDecl());
    if (variable && open_[variable] == 0) shared_.insert(variable);
    return true;
  }
  bool isOwn(const clang::VarDecl *variable) const { return shared_.count(variable) == 0; }
  std::vector<const clang::ForStmt *> loops;

private:
  std::map<const clang::VarDecl *, int> open_; // loops over it that the traversal is in
  std::set<const clang::VarDecl *> shared_;
};

} // namespace

Iterators iteratorsOf(const clang::FunctionDecl *function) {
  Uses uses;
  uses.TraverseStmt(function->getBody());
  Iterators result;
  for (const clang::ForStmt *loop : uses.loops) {
    const clang::VarDecl *variable = setBy(loop);
    if (!uses.isOwn(variable)) continue;
    result.own.insert(variable);
    result.loops.push_back(loop);
  }
  return result;
}

} // namespace tangram::tilek
