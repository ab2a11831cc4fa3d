#include "EvaluatorParts.h"

#include "tangram/ast/Builtins.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <functional>

namespace tangram::races {

using namespace ast;

namespace {

constexpr unsigned kDeepestCall = 8;

} // namespace

Polynomial Evaluator::fresh(const Type &type) { return symbols_.any({}, {}, isNatural(type)); }

/// What is left of a number in a type of fewer bits. In steps that are small it meets all that lies below where it
/// wraps around, which is more than containers have; in large ones, or in those of a parameter that had more bits, it
/// does not.
Polynomial Evaluator::narrowed(Polynomial p, const Type &type, std::uint64_t bytesBefore) {
  constexpr std::int64_t kSmallStep = 1 << 16;
  if (type.bytes() >= 8 || p.isUnknown()) return p;
  for (const auto &[monomial, factor] : p.terms()) {
    if (monomial.empty()) continue;
    const bool byParameter = monomial.size() > 1 && std::any_of(monomial.begin(), monomial.end(), [&](SymbolId id) {
                               return symbols_[id].kind == Symbol::Kind::Scalar;
                             });
    if (factor > kSmallStep || factor < -kSmallStep || (byParameter && bytesBefore > type.bytes())) return fresh(type);
  }
  return p;
}

Polynomial Evaluator::value(const Expr *e) {
  if (!e) return Polynomial::unknown();
  if (!isNumber(e->type)) return symbols_.any();
  switch (exprKind(*e)) {
  case ExprKind::IntLit: return as<IntLit>(e)->value;
  case ExprKind::VarRef:
    if (auto it = values_.find(as<VarRef>(e)->name); it != values_.end()) return it->second;
    return fresh(e->type);
  case ExprKind::Cast: {
    const Expr *operand = as<Cast>(e)->operand;
    bool keeps = isNumber(operand->type) && (e->type.bytes() >= 4 || e->type.bytes() >= operand->type.bytes());
    return keeps ? narrowed(value(operand), e->type, operand->type.bytes()) : fresh(e->type);
  }
  case ExprKind::CoopDim: return symbols_.lanes();
  case ExprKind::CoopIdx: {
    auto [it, isNew] = values_.try_emplace("coopIdx()");
    if (isNew) it->second = symbols_.lane();
    return it->second;
  }
  case ExprKind::Size: {
    const Size *s = as<Size>(e);
    View v = view(s->container);
    unsigned rank = s->container->type.rank();
    if (!s->dim) return elements(v, rank);
    std::optional<std::int64_t> d = value(s->dim).constant();
    std::vector<Polynomial> all = extents(v, rank);
    return d && *d >= 0 && static_cast<std::size_t>(*d) < all.size() ? all[*d] : symbols_.any(Polynomial(0), {}, true);
  }
  case ExprKind::Unary: {
    const Unary *n = as<Unary>(e);
    if (n->op == UnaryOp::Plus) return value(n->operand);
    if (n->op == UnaryOp::Minus) return Polynomial(0) - value(n->operand);
    return fresh(e->type);
  }
  case ExprKind::Binary: {
    const Binary *n = as<Binary>(e);
    if (hasEffects(n)) return fresh(e->type);
    Polynomial a = value(n->lhs), b = value(n->rhs);
    std::optional<std::int64_t> by = b.constant();
    bool shifts = by && *by >= 0 && *by < 62;
    Polynomial result = Polynomial::unknown();
    switch (n->op) {
    case BinaryOp::Add: result = a + b; break;
    case BinaryOp::Sub: result = a - b; break;
    case BinaryOp::Mul: result = a * b; break;
    case BinaryOp::Div: result = symbols_.quotient(a, b); break;
    case BinaryOp::Rem: result = symbols_.remainder(a, b); break;
    case BinaryOp::Shl:
      if (shifts) result = a * Polynomial(std::int64_t{1} << *by);
      break;
    case BinaryOp::Shr:
      if (shifts && isNatural(n->lhs->type)) result = symbols_.quotient(a, std::int64_t{1} << *by);
      break;
    case BinaryOp::And:
      if (by && *by > 0 && (*by & (*by + 1)) == 0 && isNatural(n->lhs->type)) result = symbols_.remainder(a, *by + 1);
      break;
    default: break;
    }
    return result.isUnknown() ? fresh(e->type) : narrowed(std::move(result), e->type, e->type.bytes());
  }
  case ExprKind::Conditional: return hasEffects(e) ? fresh(e->type) : choice(as<Conditional>(e));
  case ExprKind::Subscript: return element(as<Subscript>(e));
  case ExprKind::Call: {
    // A function that gives back an expression of what it is given.
    const Call *call = as<Call>(e);
    for (const Function *f : module_.functions) {
      if (f->name != call->callee || f->body->stmts.size() != 1 || depth_ >= kDeepestCall) continue;
      const auto *give = dyn<Return>(f->body->stmts[0]);
      if (!give || !give->value || f->params.size() != call->args.size()) break;
      std::map<std::string, Polynomial> mine;
      for (std::size_t i = 0; i < f->params.size(); ++i)
        if (isNumber(f->params[i]->type)) mine[f->params[i]->name] = value(call->args[i]);
      std::swap(mine, values_);
      ++depth_;
      Polynomial result = value(give->value);
      --depth_;
      std::swap(mine, values_);
      return result;
    }
    return fresh(e->type);
  }
  case ExprKind::FloatLit:
  case ExprKind::Assign:
  case ExprKind::Member:
  case ExprKind::InitList:
  case ExprKind::Pitch:
  case ExprKind::Atomic:
  case TANGRAM_LANGUAGE_EXPRS:
  case TANGRAM_DEVICE_EXPRS:
  case TANGRAM_CHECKED_EXPRS:
  case TANGRAM_VECTOR_EXPRS: break;
  }
  return fresh(e->type);
}

/// The lesser or the greater of two; of others only that it is none of below zero.
Polynomial Evaluator::choice(const Conditional *e) {
  Polynomial a = value(e->then), b = value(e->otherwise);
  if (a == b) return a;
  const auto *cond = dyn<Binary>(e->cond);
  Polynomial result = fresh(e->type);
  if (!cond || a.isUnknown() || b.isUnknown()) return result;
  Polynomial x = value(cond->lhs), y = value(cond->rhs);
  if (cond->op == BinaryOp::Gt || cond->op == BinaryOp::Ge)
    std::swap(x, y);
  else if (cond->op != BinaryOp::Lt && cond->op != BinaryOp::Le)
    return result;
  if (x == a && y == b) { // x < y ? x : y
    facts_.push_back(a - result);
    facts_.push_back(b - result);
  } else if (x == b && y == a) {
    facts_.push_back(result - a);
    facts_.push_back(result - b);
  }
  return result;
}

void Evaluator::assume(const Expr *cond, bool holds) {
  cond = withoutCasts(cond);
  if (const auto *n = dyn<Unary>(cond); n && n->op == UnaryOp::Not) return assume(n->operand, !holds);
  const auto *n = dyn<Binary>(cond);
  if (!n || hasEffects(cond)) return;
  if (n->op == (holds ? BinaryOp::LogicalAnd : BinaryOp::LogicalOr)) {
    assume(n->lhs, holds);
    return assume(n->rhs, holds);
  }
  if (!isNumber(n->lhs->type) || !isNumber(n->rhs->type)) return;
  BinaryOp op = n->op;
  if (!holds) {
    switch (op) {
    case BinaryOp::Lt: op = BinaryOp::Ge; break;
    case BinaryOp::Le: op = BinaryOp::Gt; break;
    case BinaryOp::Gt: op = BinaryOp::Le; break;
    case BinaryOp::Ge: op = BinaryOp::Lt; break;
    case BinaryOp::Eq: op = BinaryOp::Ne; break;
    case BinaryOp::Ne: op = BinaryOp::Eq; break;
    default: return;
    }
  }
  Polynomial a = value(n->lhs), b = value(n->rhs);
  if (a.isUnknown() || b.isUnknown()) return;
  switch (op) {
  case BinaryOp::Lt: facts_.push_back(b - a - Polynomial(1)); break;
  case BinaryOp::Le: facts_.push_back(b - a); break;
  case BinaryOp::Gt: facts_.push_back(a - b - Polynomial(1)); break;
  case BinaryOp::Ge: facts_.push_back(a - b); break;
  case BinaryOp::Eq: zeros_.push_back(a - b); break;
  default: break;
  }
}

/// By nothing but sizes, lanes, tunables and loops over these.
bool Evaluator::sameInAllCalls(const Expr *cond) {
  if (hasEffects(cond) || contains<Subscript>(cond) || contains<Call>(cond)) return false;
  bool same = true;
  walk(cond, [&](const VarRef &v) {
    if (v.type.isArray()) return; // its size
    auto it = values_.find(v.name);
    if (it == values_.end() || it->second.isUnknown()) {
      same = false;
      return;
    }
    std::function<void(const Polynomial &)> look = [&](const Polynomial &p) {
      for (SymbolId id : p.symbols()) {
        const Symbol &s = symbols_[id];
        if (s.kind == Symbol::Kind::Scalar || s.kind == Symbol::Kind::Index) same = false;
        if (s.kind == Symbol::Kind::Any && !s.deterministic) same = false;
        if (s.kind == Symbol::Kind::Quotient || s.kind == Symbol::Kind::Remainder) look(s.a), look(s.b);
      }
    };
    look(it->second);
  });
  return same;
}

} // namespace tangram::races
