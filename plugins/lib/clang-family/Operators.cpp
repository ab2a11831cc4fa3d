#include "Body.h"
#include "Messages.h"
#include "Types.h"

#include "tangram/ast/Effects.h"

namespace tangram::frontend {

using namespace ast;

namespace {

constexpr unsigned kMaxOperators = 512; // in a row

UnaryOp unaryOp(clang::UnaryOperatorKind kind) {
  switch (kind) {
  case clang::UO_PostInc: return UnaryOp::PostInc;
  case clang::UO_PostDec: return UnaryOp::PostDec;
  case clang::UO_PreInc: return UnaryOp::PreInc;
  case clang::UO_PreDec: return UnaryOp::PreDec;
  case clang::UO_Minus: return UnaryOp::Minus;
  case clang::UO_Not: return UnaryOp::BitNot;
  case clang::UO_LNot: return UnaryOp::Not;
  default: return UnaryOp::Plus;
  }
}

std::optional<BinaryOp> binaryOp(clang::BinaryOperatorKind kind) {
  switch (kind) {
  case clang::BO_Mul: return BinaryOp::Mul;
  case clang::BO_Div: return BinaryOp::Div;
  case clang::BO_Rem: return BinaryOp::Rem;
  case clang::BO_Add: return BinaryOp::Add;
  case clang::BO_Sub: return BinaryOp::Sub;
  case clang::BO_Shl: return BinaryOp::Shl;
  case clang::BO_Shr: return BinaryOp::Shr;
  case clang::BO_LT: return BinaryOp::Lt;
  case clang::BO_GT: return BinaryOp::Gt;
  case clang::BO_LE: return BinaryOp::Le;
  case clang::BO_GE: return BinaryOp::Ge;
  case clang::BO_EQ: return BinaryOp::Eq;
  case clang::BO_NE: return BinaryOp::Ne;
  case clang::BO_And: return BinaryOp::And;
  case clang::BO_Xor: return BinaryOp::Xor;
  case clang::BO_Or: return BinaryOp::Or;
  case clang::BO_LAnd: return BinaryOp::LogicalAnd;
  case clang::BO_LOr: return BinaryOp::LogicalOr;
  case clang::BO_Comma: return BinaryOp::Comma;
  default: return {};
  }
}

AssignOp assignOp(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add: return AssignOp::Add;
  case BinaryOp::Sub: return AssignOp::Sub;
  case BinaryOp::Mul: return AssignOp::Mul;
  case BinaryOp::Div: return AssignOp::Div;
  case BinaryOp::Rem: return AssignOp::Rem;
  case BinaryOp::Shl: return AssignOp::Shl;
  case BinaryOp::Shr: return AssignOp::Shr;
  case BinaryOp::And: return AssignOp::And;
  case BinaryOp::Or: return AssignOp::Or;
  case BinaryOp::Xor: return AssignOp::Xor;
  default: return AssignOp::Set;
  }
}

} // namespace

const clang::Expr *stripped(const clang::Expr *e) {
  while (true) {
    const clang::Expr *before = e;
    e = e->IgnoreParenImpCasts();
    if (const auto *t = clang::dyn_cast<clang::MaterializeTemporaryExpr>(e)) e = t->getSubExpr();
    if (const auto *c = clang::dyn_cast<clang::ExprWithCleanups>(e)) e = c->getSubExpr();
    if (const auto *c = clang::dyn_cast<clang::ConstantExpr>(e)) e = c->getSubExpr();
    if (const auto *c = clang::dyn_cast<clang::CXXConstructExpr>(e);
        c && c->getNumArgs() == 1 && c->getConstructor()->isCopyOrMoveConstructor())
      e = c->getArg(0);
    if (e == before) return e;
  }
}

const ast::Expr *Body::unary(const clang::UnaryOperator *e) {
  ast::SourceRange where = range(e->getSourceRange());
  switch (e->getOpcode()) {
  case clang::UO_AddrOf: fail(kNotInLanguage, where, "the address of something", "use an Array and an index");
  case clang::UO_Deref:
    if (clang::isa<clang::CXXThisExpr>(stripped(e->getSubExpr()))) return object(where);
    fail(kNotInLanguage, where, "a pointer", "use an Array and an index");
  case clang::UO_Extension: return expr(e->getSubExpr());
  case clang::UO_Real:
  case clang::UO_Imag:
  case clang::UO_Coawait: fail(kNotInLanguage, where, "complex numbers", "keep real and imaginary parts in two Arrays");
  default: break;
  }
  if (e->isIncrementDecrementOp()) checkWritable(e->getSubExpr(), where);
  const Expr *operand = expr(e->getSubExpr());
  Type result = type(e->getType(), where, "this value");
  if (e->getOpcode() == clang::UO_Plus) return operand;
  if (e->getOpcode() == clang::UO_Minus) {
    if (const auto *number = dyn<IntLit>(operand); number && result.isSigned() && number->value > 0)
      return build(where).integer(result, -number->value);
    if (const auto *number = dyn<FloatLit>(operand)) return arena().make<FloatLit>(where, result, -number->value);
  }
  if (const auto *number = dyn<IntLit>(operand); number && e->getOpcode() == clang::UO_Not)
    return build(where).integer(result, ~number->value);
  return arena().make<Unary>(where, result, unaryOp(e->getOpcode()), operand);
}

const ast::Expr *Body::binary(const clang::BinaryOperator *e) {
  ast::SourceRange where = range(e->getSourceRange());
  if (e->getOpcode() == clang::BO_Assign) {
    checkWritable(e->getLHS(), where);
    const Expr *target = expr(e->getLHS()), *value = expr(e->getRHS());
    return arena().make<Assign>(where, target->type, AssignOp::Set, target, value);
  }
  std::optional<BinaryOp> op = binaryOp(e->getOpcode());
  if (!op)
    fail(kNotInLanguage, where, fmt::format("the operator {}", e->getOpcodeStr().str()), "compare with < and ==");
  // A chain a + b + c + ... leans to the left; its length is no depth.
  std::vector<const clang::BinaryOperator *> chain{e};
  for (const clang::Expr *left = e->getLHS(); (left = left->IgnoreParens());) {
    const auto *next = clang::dyn_cast<clang::BinaryOperator>(left);
    if (!next || next->isAssignmentOp() || !binaryOp(next->getOpcode())) break;
    chain.push_back(next);
    left = next->getLHS();
  }
  if (chain.size() > kMaxOperators) fail(kTooDeep, where, "operators", kMaxOperators);
  const Expr *result = nullptr;
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    const clang::BinaryOperator *one = *it;
    const Expr *lhs = result ? result : expr(one->getLHS()), *rhs = expr(one->getRHS());
    ast::SourceRange at = range(one->getSourceRange());
    if (lhs->type.isArray() || rhs->type.isArray())
      if (one->getOpcode() != clang::BO_Comma)
        fail(kNotInLanguage, at, "arithmetic on containers", "map a spectrum over them");
    Type made = one->getType()->isVoidType() ? Type(Scalar::Void)
                : rhs->type.isArray()        ? rhs->type
                                             : type(one->getType(), at, "this value");
    result = arena().make<Binary>(at, made, *binaryOp(one->getOpcode()), lhs, rhs);
  }
  return result;
}

const ast::Expr *Body::compound(const clang::CompoundAssignOperator *e) {
  ast::SourceRange where = range(e->getSourceRange());
  checkWritable(e->getLHS(), where);
  const Expr *target = expr(e->getLHS()), *value = expr(e->getRHS());
  Type computed = type(e->getComputationLHSType(), where, "this value");
  BinaryOp op = *binaryOp(clang::BinaryOperator::getOpForCompoundAssignment(e->getOpcode()));
  if (computed == target->type) return arena().make<Assign>(where, target->type, assignOp(op), target, value);
  // c += 1 on a char computes in int and converts back: said, unless the target may be evaluated once only.
  if (hasEffects(target)) return arena().make<Assign>(where, target->type, assignOp(op), target, value);
  const Expr *sum = arena().make<Binary>(where, computed, op, convert(computed, target, target->range), value);
  return arena().make<Assign>(where, target->type, AssignOp::Set, target, convert(target->type, sum, where));
}

// ---- what may be written ------------------------------------------------------------------------------------

bool Body::isConstContainer(const clang::Expr *e) {
  e = stripped(e);
  if (const auto *reference = clang::dyn_cast<clang::DeclRefExpr>(e)) {
    const auto *named = clang::dyn_cast<clang::VarDecl>(reference->getDecl());
    if (!named) return false;
    if (named->getType().isConstQualified()) return true;
    return !clang::isa<clang::ParmVarDecl>(named) && named->getInit() && isConstContainer(named->getInit());
  }
  if (const auto *called = clang::dyn_cast<clang::CallExpr>(e); called && called->getDirectCallee()) {
    std::string which = primitiveOf(*called->getDirectCallee());
    if (which == "range") return true;
    if (which == "partition" || which == "subscript")
      return called->getNumArgs() > 0 && isConstContainer(called->getArg(0));
  }
  return false;
}

bool Body::isRange(const clang::Expr *e) {
  e = stripped(e);
  if (const auto *reference = clang::dyn_cast<clang::DeclRefExpr>(e)) {
    const auto *named = clang::dyn_cast<clang::VarDecl>(reference->getDecl());
    return named && named->isLocalVarDecl() && named->getInit() && isRange(named->getInit());
  }
  const auto *called = clang::dyn_cast<clang::CallExpr>(e);
  if (!called || !called->getDirectCallee()) return false;
  std::string which = primitiveOf(*called->getDirectCallee());
  if (which == "partition" || which == "subscript") return called->getNumArgs() > 0 && isRange(called->getArg(0));
  return which == "range";
}

void Body::checkWritable(const clang::Expr *target, ast::SourceRange where) {
  target = stripped(target);
  while (const auto *member = clang::dyn_cast<clang::MemberExpr>(target)) target = stripped(member->getBase());
  if (inCondition_) fail(kConditionEffect, where);
  if (clang::isa<clang::ConditionalOperator>(target))
    fail(kNotInLanguage, where, "an assignment to one of two places", "write a branch: if (c) a = ...; else b = ...;");
  if (const auto *called = clang::dyn_cast<clang::CallExpr>(target)) {
    if (!isConstContainer(called)) return;
    const clang::Expr *root = called;
    while (const auto *next = clang::dyn_cast<clang::CallExpr>(stripped(root))) {
      if (next->getNumArgs() == 0) break;
      root = next->getArg(0);
    }
    std::string name = "the container";
    if (const auto *reference = clang::dyn_cast<clang::DeclRefExpr>(stripped(root)))
      name = fmt::format("'{}'", reference->getDecl()->getNameAsString());
    if (isRange(called)) fail(kWriteRange, where, name == "the container" ? "it" : name);
    fail(kWriteConst, where, name);
  }
  if (const auto *reference = clang::dyn_cast<clang::DeclRefExpr>(target))
    if (const auto *named = clang::dyn_cast<clang::VarDecl>(reference->getDecl()); named && named->isLocalVarDecl())
      if (findQualifier(*named, "tunable")) fail(kWriteTunable, where, named->getNameAsString());
}

} // namespace tangram::frontend
