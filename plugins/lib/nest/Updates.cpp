#include "tangram/nest/Updates.h"

#include "tangram/ast/Builtins.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Functions.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Statements.h"

#include <algorithm>

namespace tangram::nest {

using namespace ast;

std::string_view name(ReductionOp op) {
  switch (op) {
  case ReductionOp::Add: return "+";
  case ReductionOp::Mul: return "*";
  case ReductionOp::Min: return "min";
  case ReductionOp::Max: return "max";
  case ReductionOp::And: return "&";
  case ReductionOp::Or: return "|";
  case ReductionOp::Xor: return "^";
  }
  return "";
}

namespace {

bool mentions(const Expr *e, const Expr *place) {
  const VarRef *root = rootVariable(place);
  return !root || mentionsValue(e, root->name);
}

/// Whether something is done beside computing a value.
bool doesMore(const Expr *e, const Module &module) {
  return any<Expr>(e, [&](const Expr &part) {
    if (const auto *call = dyn<Call>(&part)) {
      if (isMathFunction(call->callee)) return false;
      auto called = std::find_if(module.functions.begin(), module.functions.end(),
                                 [&](const Function *f) { return f->name == call->callee; });
      return called == module.functions.end() ||
             std::any_of((*called)->params.begin(), (*called)->params.end(), [](const Param *p) {
               return p->access != ast::Access::In || p->type.isArray() || p->type.isPointer();
             });
    }
    const auto *unary = dyn<Unary>(&part);
    return unary ? hasEffects(unary) && !hasEffects(unary->operand)
                 : isa<Assign>(&part) || isa<Atomic>(&part) || isa<MatrixMultiply>(&part) || isa<SpectrumCall>(&part) ||
                       isa<Map>(&part);
  });
}

/// x - e is an update by +.
std::optional<ReductionOp> reductionOp(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
  case BinaryOp::Sub: return ReductionOp::Add;
  case BinaryOp::Mul: return ReductionOp::Mul;
  case BinaryOp::And:
  case BinaryOp::LogicalAnd: return ReductionOp::And;
  case BinaryOp::Or:
  case BinaryOp::LogicalOr: return ReductionOp::Or;
  case BinaryOp::Xor: return ReductionOp::Xor;
  default: return std::nullopt;
  }
}

/// Of truth values, x != e is an update by ^.
std::optional<ReductionOp> reductionOp(const Binary &b) {
  if (b.op == BinaryOp::Ne && b.lhs->type.isBool() && b.rhs->type.isBool()) return ReductionOp::Xor;
  return reductionOp(b.op);
}

/// a < b ? a : b and its relatives, where one of them is the place.
std::optional<ReductionOp> extreme(const Expr *cond, const Expr *then, const Expr *otherwise, const Expr *place) {
  const auto *compare = dyn<Binary>(cond);
  if (!compare) return std::nullopt;
  bool less = compare->op == BinaryOp::Lt || compare->op == BinaryOp::Le;
  if (!less && compare->op != BinaryOp::Gt && compare->op != BinaryOp::Ge) return std::nullopt;
  bool straight = equal(compare->lhs, then) && equal(compare->rhs, otherwise);
  bool crossed = equal(compare->lhs, otherwise) && equal(compare->rhs, then);
  if (straight == crossed || equal(then, place) == equal(otherwise, place)) return std::nullopt;
  if (mentions(equal(then, place) ? otherwise : then, place)) return std::nullopt;
  return less == straight ? ReductionOp::Min : ReductionOp::Max;
}

/// m = max(m, e), where the function returns the one or the other of what it is given.
std::optional<Update> extremeByFunction(const Assign &a, const Call &call, const Function &function) {
  const auto *choice = dyn<Conditional>(resultOf(function));
  for (std::size_t own : {0, 1}) {
    if (!choice || call.args.size() != 2 || !equal(call.args[own], a.target)) continue;
    auto gives = [&](const Expr *e, std::size_t parameter) {
      const auto *v = dyn<VarRef>(e);
      return v && v->name == function.params[parameter]->name;
    };
    const bool first = gives(choice->then, own);
    const Expr *place = first ? choice->then : choice->otherwise, *other = first ? choice->otherwise : choice->then;
    if (!gives(place, own) || !gives(other, 1 - own) || mentions(call.args[1 - own], a.target)) continue;
    std::optional<ReductionOp> op = extreme(choice->cond, choice->then, choice->otherwise, place);
    if (op) return Update{a.target, *op, call.args[1 - own]};
  }
  return std::nullopt;
}

/// x = T(W(x) op e), as `x op= e` with an `e` of a wider type is read: of whole numbers the low bits of the result
/// follow from those of both sides, and numbers with a fraction are rounded once more or less.
std::optional<Update> converted(const Assign &a) {
  const auto *narrow = dyn<Cast>(a.value);
  const auto *b = narrow ? dyn<Binary>(narrow->operand) : nullptr;
  const std::optional<ReductionOp> op = b ? reductionOp(b->op) : std::nullopt;
  if (!op || !a.target->type.isScalar()) return std::nullopt;
  const Type &type = a.target->type, &in = b->type;
  const bool whole = type.isInteger() && !type.isBool() && in.isInteger() && !in.isBool();
  if (!whole && !(type.isFloating() && in.isFloating())) return std::nullopt;
  const auto isTarget = [&](const Expr *e) {
    const auto *wide = dyn<Cast>(e);
    return equal(wide ? wide->operand : e, a.target);
  };
  if (isTarget(b->lhs) && !mentions(b->rhs, a.target)) return Update{a.target, *op, b->rhs, b->op == BinaryOp::Sub};
  if (b->op != BinaryOp::Sub && isTarget(b->rhs) && !mentions(b->lhs, a.target)) return Update{a.target, *op, b->lhs};
  return std::nullopt;
}

std::optional<Update> setting(const Assign &a, const Module &module) {
  if (std::optional<Update> update = converted(a)) return update;
  if (const auto *b = dyn<Binary>(a.value)) {
    std::optional<ReductionOp> op = reductionOp(*b);
    if (op && equal(b->lhs, a.target) && !mentions(b->rhs, a.target))
      return Update{a.target, *op, b->rhs, b->op == BinaryOp::Sub};
    if (op && b->op != BinaryOp::Sub && equal(b->rhs, a.target) && !mentions(b->lhs, a.target))
      return Update{a.target, *op, b->lhs};
    return std::nullopt;
  }
  if (const auto *choice = dyn<Conditional>(a.value)) {
    std::optional<ReductionOp> op = extreme(choice->cond, choice->then, choice->otherwise, a.target);
    if (!op) return std::nullopt;
    return Update{a.target, *op, equal(choice->then, a.target) ? choice->otherwise : choice->then};
  }
  if (const auto *call = dyn<Call>(a.value); call && call->args.size() == 2) {
    if (const Function *function = functionOfExpression(module, *call)) return extremeByFunction(a, *call, *function);
    bool least = call->callee == "fmin" || call->callee == "fminf";
    if (!least && call->callee != "fmax" && call->callee != "fmaxf") return std::nullopt;
    bool first = equal(call->args[0], a.target);
    if (!first && !equal(call->args[1], a.target)) return std::nullopt;
    if (mentions(call->args[first], a.target)) return std::nullopt;
    return Update{a.target, least ? ReductionOp::Min : ReductionOp::Max, call->args[first]};
  }
  return std::nullopt;
}

} // namespace

std::optional<ReductionOp> reductionOp(AtomicOp op) {
  switch (op) {
  case AtomicOp::Add:
  case AtomicOp::Sub: return ReductionOp::Add;
  case AtomicOp::Min: return ReductionOp::Min;
  case AtomicOp::Max: return ReductionOp::Max;
  case AtomicOp::And: return ReductionOp::And;
  case AtomicOp::Or: return ReductionOp::Or;
  case AtomicOp::Xor: return ReductionOp::Xor;
  case AtomicOp::Exchange:
  case AtomicOp::CompareExchange:
  case AtomicOp::OrderedAdd: break;
  }
  return std::nullopt;
}

std::optional<Update> updateOf(const Stmt *statement, const Module &module) {
  if (const auto *choice = dyn<If>(statement)) { // if (e > m) m = e;
    if (choice->otherwise || choice->then->stmts.size() != 1) return std::nullopt;
    const auto *only = dyn<Evaluate>(choice->then->stmts[0]);
    const auto *set = only ? dyn<Assign>(only->expr) : nullptr;
    if (!set || set->op != AssignOp::Set || doesMore(set->value, module)) return std::nullopt;
    std::optional<ReductionOp> op = extreme(choice->cond, set->value, set->target, set->target);
    return op ? std::optional(Update{set->target, *op, set->value}) : std::nullopt;
  }
  const auto *evaluate = dyn<Evaluate>(statement);
  if (!evaluate) return std::nullopt;
  if (const auto *u = dyn<Unary>(evaluate->expr)) {
    const bool up = u->op == UnaryOp::PreInc || u->op == UnaryOp::PostInc,
               down = u->op == UnaryOp::PreDec || u->op == UnaryOp::PostDec;
    return up || down ? std::optional(Update{u->operand, ReductionOp::Add, nullptr, down}) : std::nullopt;
  }
  const auto *a = dyn<Assign>(evaluate->expr);
  if (!a || doesMore(a->value, module)) return std::nullopt;
  if (a->op == AssignOp::Set) return setting(*a, module);
  std::optional<ReductionOp> op = reductionOp(binaryOf(a->op));
  if (!op || mentions(a->value, a->target)) return std::nullopt;
  return Update{a->target, *op, a->value, a->op == AssignOp::Sub};
}

} // namespace tangram::nest
