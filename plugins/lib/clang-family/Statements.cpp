#include "Body.h"
#include "Messages.h"
#include "Types.h"

#include "tangram/ast/Effects.h"

namespace tangram::frontend {

using namespace ast;

namespace {

constexpr unsigned kMaxBlocks = 256; // blocks in blocks

} // namespace

const ast::Block *Body::block() {
  const clang::Stmt *body = function_->getBody();
  Stmts stmts;
  if (const auto *block = clang::dyn_cast_or_null<clang::CompoundStmt>(body)) {
    Scope scope(*this);
    for (const clang::Stmt *stmt : block->body()) statement(stmt, stmts);
  } else if (body) {
    statement(body, stmts); // a function try block, which is refused there
  }
  stmts.insert(stmts.begin(), prologue_.begin(), prologue_.end());
  bool returns = !stmts.empty() && isa<Return>(stmts.back());
  if (passing_ && !passing_->back.empty() && passing_->gives != Passing::Gives::Value && !returns)
    stmts.push_back(
        arena().make<Return>(range(function_->getLocation()), givenBack(range(function_->getLocation()), nullptr)));
  const auto *made =
      arena().make<Block>(range(body ? body->getSourceRange() : function_->getSourceRange()), std::move(stmts));
  if (role_ == Role::Codelet) checkExtents(made); // of a function, where it is called
  return made;
}

const ast::Block *Body::nested(const clang::Stmt *stmt) {
  Stmts stmts;
  Scope scope(*this);
  if (depth_ > kMaxBlocks) fail(kTooDeep, range(stmt->getSourceRange()), "statements", kMaxBlocks);
  if (const auto *block = clang::dyn_cast<clang::CompoundStmt>(stmt))
    for (const clang::Stmt *inner : block->body()) statement(inner, stmts);
  else
    statement(stmt, stmts);
  return arena().make<Block>(range(stmt->getSourceRange()), std::move(stmts));
}

void Body::statement(const clang::Stmt *stmt, Stmts &out) {
  Stmts outer = std::exchange(scratch_, {}), made;
  statementOf(stmt, made);
  out.insert(out.end(), scratch_.begin(), scratch_.end());
  out.insert(out.end(), made.begin(), made.end());
  scratch_ = std::move(outer);
}

/// std::swap(a, b); as a statement. False for any other.
bool Body::swap(const clang::Expr *e, Stmts &out) {
  const auto *call = clang::dyn_cast<clang::CallExpr>(stripped(e));
  const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (!callee || !callee->isInStdNamespace() || !callee->getIdentifier() || callee->getName() != "swap") return false;
  ast::SourceRange where = range(call->getSourceRange());
  for (const clang::Expr *arg : call->arguments())
    if (!program_.isValue(arg->getType(), where))
      fail(kNotInLanguage, where, "this form of std::swap", "swap scalars, structs or elements of containers");
  std::vector<const Expr *> places;
  std::set<std::string> changed;
  for (const clang::Expr *arg : call->arguments()) {
    checkWritable(arg, range(arg->getSourceRange()));
    places.push_back(expr(arg));
    const VarRef *root = rootVariable(places.back());
    if (!root) fail(kTemporaryChanged, range(arg->getSourceRange()), "std::swap");
    changed.insert(root->name);
  }
  Exprs before;
  for (const Expr *&place : places) place = settled(place, changed, before);
  for (const Expr *step : before) out.push_back(arena().make<Evaluate>(where, step));
  std::string name = names_.fresh("swapped");
  out.push_back(build(where).declare(name, places[0]->type, places[0]));
  out.push_back(build(where).assign(places[0], places[1]));
  out.push_back(build(where).assign(places[1], build(where).var(name, places[0]->type)));
  return true;
}

void Body::statementOf(const clang::Stmt *stmt, Stmts &out) {
  ast::SourceRange where = range(stmt->getSourceRange());
  using S = clang::Stmt;
  if (const auto *e = clang::dyn_cast<clang::Expr>(stmt)) {
    // (void)x; says that a value is not used.
    if (const auto *cast = clang::dyn_cast<clang::CastExpr>(e->IgnoreParens());
        cast && cast->getCastKind() == clang::CK_ToVoid)
      e = cast->getSubExpr();
    if (swap(e, out)) return;
    const Expr *value = expr(e);
    if (isa<VarRef>(value) || isa<IntLit>(value) || isa<FloatLit>(value)) return;
    out.push_back(arena().make<Evaluate>(where, value));
    return;
  }
  switch (stmt->getStmtClass()) {
  case S::NullStmtClass: return;
  case S::CompoundStmtClass: out.push_back(nested(stmt)); return;
  case S::DeclStmtClass:
    for (const clang::Decl *declared : clang::cast<clang::DeclStmt>(stmt)->decls()) declaration(declared, out);
    return;
  case S::AttributedStmtClass: return statement(clang::cast<clang::AttributedStmt>(stmt)->getSubStmt(), out);
  case S::IfStmtClass: return ifStatement(clang::cast<clang::IfStmt>(stmt), out);
  case S::ForStmtClass: return forStatement(clang::cast<clang::ForStmt>(stmt), out);
  case S::WhileStmtClass: return whileStatement(clang::cast<clang::WhileStmt>(stmt), out);
  case S::DoStmtClass: {
    const auto *loop = clang::cast<clang::DoStmt>(stmt);
    const Block *body = nested(loop->getBody());
    out.push_back(arena().make<DoWhile>(where, body, expr(loop->getCond())));
    return;
  }
  case S::SwitchStmtClass: return switchStatement(clang::cast<clang::SwitchStmt>(stmt), out);
  case S::BreakStmtClass: out.push_back(arena().make<Break>(where)); return;
  case S::ContinueStmtClass: out.push_back(arena().make<Continue>(where)); return;
  case S::ReturnStmtClass: {
    if (passing_ && !passing_->back.empty()) return giveBack(clang::cast<clang::ReturnStmt>(stmt), out);
    const clang::Expr *returned = clang::cast<clang::ReturnStmt>(stmt)->getRetValue();
    const Expr *value = returned ? expr(returned) : nullptr;
    if (value && function_->getReturnType()->isVoidType()) { // return f(); where f gives nothing
      out.push_back(arena().make<Evaluate>(value->range, value));
      value = nullptr;
    }
    out.push_back(arena().make<Return>(where, value));
    return;
  }
  case S::GotoStmtClass:
  case S::IndirectGotoStmtClass:
  case S::LabelStmtClass: fail(kNotInLanguage, where, "goto", "write a loop with break or continue, or an if");
  case S::CXXTryStmtClass: fail(kNotInLanguage, where, "an exception", "return a value that says what went wrong");
  case S::GCCAsmStmtClass:
  case S::MSAsmStmtClass:
    if (qualifiers_.env.empty())
      fail(kNotInLanguage, where, "inline assembly",
           "write C++; what is for one target only goes into an __env codelet");
    fail(kUnsupported, where, "inline assembly", "write the codelet in C++");
  case S::CXXForRangeStmtClass:
    fail(kNotInLanguage, where, "a range-based for", "write a counting loop: for (unsigned i = 0; i < c.size(); ++i)");
  case S::CaseStmtClass:
  case S::DefaultStmtClass:
    fail(kUnsupported, where, "a case label inside a statement of its switch",
         "put the labels directly into the braces of the switch");
  default:
    fail(kUnsupported, where, fmt::format("this statement ({})", stmt->getStmtClassName()),
         "use if, for, while, do, switch and expressions");
  }
}

void Body::ifStatement(const clang::IfStmt *stmt, Stmts &out) {
  ast::SourceRange where = range(stmt->getSourceRange());
  Scope scope(*this);
  Stmts before;
  if (stmt->isConsteval()) fail(kUnsupported, where, "if consteval", "write the branch for run time");
  if (stmt->getInit()) statement(stmt->getInit(), before);
  if (stmt->getConditionVariable()) declaration(stmt->getConditionVariable(), before);
  const clang::Stmt *then = stmt->getThen(), *otherwise = stmt->getElse();
  if (stmt->isConstexpr()) {
    bool value = false;
    if (!stmt->getCond()->EvaluateAsBooleanCondition(value, context()))
      failBug(where, "frontend-clang", "if constexpr");
    if (const clang::Stmt *taken = value ? then : otherwise) before.push_back(nested(taken));
    out.push_back(arena().make<Block>(where, std::move(before)));
    return;
  }
  const Expr *cond = expr(stmt->getCond());
  const Block *thenBlock = nested(then), *otherBlock = otherwise ? nested(otherwise) : nullptr;
  const Stmt *made = arena().make<If>(where, cond, thenBlock, otherBlock);
  if (before.empty()) {
    out.push_back(made);
    return;
  }
  before.push_back(made);
  out.push_back(arena().make<Block>(where, std::move(before)));
}

/// if (!cond) break;
const ast::Stmt *Body::leaveUnless(const clang::Expr *cond) {
  ast::SourceRange where = range(cond->getSourceRange());
  const Expr *goOn = expr(cond);
  return build(where).when(build(where).logicalNot(goOn), {arena().make<Break>(where)});
}

void Body::forStatement(const clang::ForStmt *stmt, Stmts &out) {
  ast::SourceRange where = range(stmt->getSourceRange());
  Scope scope(*this);
  Stmts before;
  if (stmt->getInit()) statement(stmt->getInit(), before);
  const Stmt *init = nullptr;
  bool simple = before.size() == 1 && !isa<Block>(before.front());
  if (simple) {
    init = before.front();
    before.clear();
  }
  const Expr *cond = nullptr;
  const Block *body = nullptr;
  const Expr *step = nullptr;
  if (const clang::VarDecl *tested = stmt->getConditionVariable()) {
    // A fresh variable each time round.
    Scope inner(*this);
    Stmts stmts;
    declaration(tested, stmts);
    if (stmt->getCond()) stmts.push_back(leaveUnless(stmt->getCond()));
    stmts.push_back(nested(stmt->getBody()));
    body = arena().make<Block>(where, std::move(stmts));
  } else {
    if (stmt->getCond()) cond = expr(stmt->getCond());
  }
  if (stmt->getInc()) step = expr(stmt->getInc());
  if (!body) body = nested(stmt->getBody());
  const Stmt *made = arena().make<For>(where, init, cond, step, body);
  if (before.empty()) {
    out.push_back(made);
    return;
  }
  before.push_back(made);
  out.push_back(arena().make<Block>(where, std::move(before)));
}

void Body::whileStatement(const clang::WhileStmt *stmt, Stmts &out) {
  ast::SourceRange where = range(stmt->getSourceRange());
  if (const clang::VarDecl *tested = stmt->getConditionVariable()) {
    Scope scope(*this);
    Stmts stmts;
    declaration(tested, stmts);
    stmts.push_back(leaveUnless(stmt->getCond()));
    stmts.push_back(nested(stmt->getBody()));
    const Block *body = arena().make<Block>(where, std::move(stmts));
    out.push_back(arena().make<While>(where, build(where).boolean(true), body));
    return;
  }
  const Expr *cond = expr(stmt->getCond());
  out.push_back(arena().make<While>(where, cond, nested(stmt->getBody())));
}

void Body::switchStatement(const clang::SwitchStmt *stmt, Stmts &out) {
  ast::SourceRange where = range(stmt->getSourceRange());
  Scope scope(*this);
  Stmts before;
  if (stmt->getInit()) statement(stmt->getInit(), before);
  if (stmt->getConditionVariable()) declaration(stmt->getConditionVariable(), before);
  const Expr *value = expr(stmt->getCond());

  struct Open {
    ast::SourceRange range;
    Exprs labels;
    bool isDefault = false;
    Stmts stmts;
  };
  std::vector<Open> cases;
  // Each case is a block: what one declares, another one cannot see.
  std::optional<Scope> caseScope;
  const auto *body = clang::dyn_cast<clang::CompoundStmt>(stmt->getBody());
  llvm::ArrayRef<clang::Stmt *> all;
  clang::Stmt *only = const_cast<clang::Stmt *>(stmt->getBody());
  if (body)
    all = {body->body_begin(), body->size()};
  else
    all = only;
  for (const clang::Stmt *inner : all) {
    if (const auto *label = clang::dyn_cast<clang::SwitchCase>(inner)) {
      caseScope.reset();
      caseScope.emplace(*this);
      cases.emplace_back();
      cases.back().range = range(inner->getSourceRange());
      while (label) {
        if (const auto *one = clang::dyn_cast<clang::CaseStmt>(label)) {
          ast::SourceRange at = range(one->getLHS()->getSourceRange());
          if (one->getRHS()) fail(kUnsupported, at, "a range of case labels", "write one label for each value");
          Int number = one->getLHS()->EvaluateKnownConstInt(context()).getExtValue();
          cases.back().labels.push_back(build(at).integer(value->type, number));
        } else {
          cases.back().isDefault = true;
        }
        inner = label->getSubStmt();
        label = clang::dyn_cast<clang::SwitchCase>(inner);
      }
    } else if (cases.empty()) {
      fail(kUnsupported, range(inner->getSourceRange()), "a statement before the first case of a switch",
           "put it before the switch");
    }
    statement(inner, cases.back().stmts);
  }
  caseScope.reset();

  std::vector<const Case *> made;
  for (Open &c : cases)
    made.push_back(arena().make<Case>(c.range, std::move(c.labels), c.isDefault,
                                      arena().make<Block>(c.range, std::move(c.stmts))));
  const Stmt *result = arena().make<Switch>(where, value, std::move(made));
  if (before.empty()) {
    out.push_back(result);
    return;
  }
  before.push_back(result);
  out.push_back(arena().make<Block>(where, std::move(before)));
}

} // namespace tangram::frontend
