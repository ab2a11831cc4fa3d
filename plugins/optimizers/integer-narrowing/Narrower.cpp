#include "Narrower.h"

#include "tangram/ast/Kinds.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"

namespace tangram::integer_narrowing {

using namespace ast;

namespace {

bool computes(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
  case BinaryOp::Sub:
  case BinaryOp::Mul:
  case BinaryOp::Div:
  case BinaryOp::Shr:
  case BinaryOp::Shl:
  case BinaryOp::And:
  case BinaryOp::Or:
  case BinaryOp::Xor: return true;
  default: return false;
  }
}
bool compares(BinaryOp op) {
  return op == BinaryOp::Eq || op == BinaryOp::Ne || op == BinaryOp::Lt || op == BinaryOp::Le || op == BinaryOp::Gt ||
         op == BinaryOp::Ge;
}
bool isWord(const Type &type) { return type.isInteger() && type.bytes() == 4; }

class Narrower final : public Mutator {
public:
  Narrower(Arena &arena, const Block *body, const Uniformity &uniformity)
      : Mutator(arena), uniformity_(uniformity), intervals_(arena, body) {
    for (const auto &[name, interval] : intervals_.variables())
      if (const std::optional<Type> type = narrowestFor(interval); type && uniformity_.varying(name))
        variables_.emplace(name, *type);
    // Where elements lie is said in whole words: other passes read it.
    walk(body, [&](const Subscript &s) {
      for (const Expr *index : s.indices) walk(index, [&](const VarRef &v) { variables_.erase(v.name); });
    });
  }

private:
  /// The value in a type of one or two bytes, where one is known that holds it and all that it is made of; else null.
  const Expr *narrowOrNull(const Expr *e) {
    if (!isWord(e->type) || !uniformity_.varying(e)) return nullptr;
    switch (exprKind(*e)) {
    case ExprKind::VarRef: {
      auto found = variables_.find(as<VarRef>(e)->name);
      return found == variables_.end() ? nullptr : Build(arena(), e->range).var(found->first, found->second);
    }
    case ExprKind::Cast: {
      const Expr *from = as<Cast>(e)->operand;
      const Interval held = ofType(e->type), value = intervals_.of(from);
      if (!from->type.isInteger() || from->type.isBool() || value.from < held.from || value.to > held.to)
        return nullptr;
      return from->type.bytes() < 4 ? mutateAs(from) : narrowOrNull(from);
    }
    case ExprKind::Binary: {
      const auto *binary = as<Binary>(e);
      if (!computes(binary->op)) return nullptr;
      const Interval left = intervals_.of(binary->lhs), right = intervals_.of(binary->rhs);
      const std::optional<Type> type = narrowestFor(hull(hull(left, right), intervals_.of(e)));
      if (!type) return nullptr;
      return arena().make<Binary>(e->range, *type, binary->op, in(*type, binary->lhs), in(*type, binary->rhs));
    }
    case ExprKind::Unary: {
      const auto *minus = as<Unary>(e);
      const std::optional<Type> type = narrowestFor(hull(intervals_.of(minus->operand), intervals_.of(e)));
      if (minus->op != UnaryOp::Minus || !type) return nullptr;
      return arena().make<Unary>(e->range, *type, UnaryOp::Minus, in(*type, minus->operand));
    }
    case ExprKind::Conditional: {
      const auto *choice = as<Conditional>(e);
      const std::optional<Type> type = narrowestFor(intervals_.of(e));
      if (!type) return nullptr;
      return arena().make<Conditional>(e->range, *type, mutateAs(choice->cond), in(*type, choice->then),
                                       in(*type, choice->otherwise));
    }
    case ExprKind::IntLit:
    case ExprKind::FloatLit:
    case ExprKind::Assign:
    case ExprKind::Call:
    case ExprKind::Subscript:
    case ExprKind::Member:
    case ExprKind::InitList:
    case ExprKind::Size:
    case ExprKind::Pitch:
    case ExprKind::CoopIdx:
    case ExprKind::CoopDim:
    case ExprKind::Atomic:
    case TANGRAM_LANGUAGE_EXPRS:
    case TANGRAM_DEVICE_EXPRS:
    case TANGRAM_CHECKED_EXPRS:
    case TANGRAM_VECTOR_EXPRS: break;
    }
    return nullptr;
  }
  /// The value in this type, which holds it.
  const Expr *in(const Type &type, const Expr *e) {
    const Expr *narrow = narrowOrNull(e);
    return Build(arena(), e->range).cast(type, narrow ? narrow : mutateAs(e));
  }
  template <class T> const Node *word(const T *e) {
    const Expr *narrow = narrowOrNull(e);
    return narrow ? Build(arena(), e->range).cast(e->type, narrow) : rebuild(e);
  }

  const Node *mutateVarRef(const VarRef *e) override { return word(e); }
  const Node *mutateUnary(const Unary *e) override { return word(e); }
  const Node *mutateConditional(const Conditional *e) override { return word(e); }
  const Node *mutateBinary(const Binary *e) override {
    const bool words = isWord(e->lhs->type) && isWord(e->rhs->type);
    if (!compares(e->op) || !words || !uniformity_.varying(e)) return word(e);
    const std::optional<Type> type = narrowestFor(hull(intervals_.of(e->lhs), intervals_.of(e->rhs)));
    if (!type) return rebuild(e);
    return arena().make<Binary>(e->range, e->type, e->op, in(*type, e->lhs), in(*type, e->rhs));
  }
  const Node *mutateCast(const Cast *e) override {
    const Expr *narrow = e->type.isScalar() ? narrowOrNull(e->operand) : nullptr;
    return narrow ? Build(arena(), e->range).cast(e->type, narrow) : rebuild(e);
  }
  const Node *mutateSubscript(const Subscript *e) override {
    const Expr *base = mutateAs(e->base);
    return base == e->base ? e : arena().derive(e, [&](Subscript &copy) { copy.base = base; });
  }
  const Node *mutateDeclare(const Declare *d) override {
    auto found = variables_.find(d->name);
    if (found == variables_.end()) return rebuild(d);
    const Expr *init = d->init ? in(found->second, d->init) : nullptr;
    return arena().derive(d, [&](Declare &copy) {
      copy.type = found->second;
      copy.init = init;
    });
  }
  const Node *mutateEvaluate(const Evaluate *s) override {
    Build b(arena(), s->range);
    const auto *assign = dyn<Assign>(s->expr);
    const auto *unary = dyn<Unary>(s->expr);
    const auto *target = dyn<VarRef>(assign ? assign->target : unary ? unary->operand : nullptr);
    auto found = target ? variables_.find(target->name) : variables_.end();
    if (found == variables_.end()) return rebuild(s);
    const Type &type = found->second;
    const Expr *variable = b.var(target->name, type);
    const Expr *changed = assign
                              ? arena().make<Assign>(assign->range, type, assign->op, variable, in(type, assign->value))
                              : static_cast<const Expr *>(arena().make<Unary>(unary->range, type, unary->op, variable));
    return arena().make<Evaluate>(s->range, changed);
  }

  const Uniformity &uniformity_;
  const Intervals intervals_;
  std::map<std::string, Type> variables_;
};

} // namespace

const Block *narrowed(Arena &arena, const Block *body, const Uniformity &uniformity) {
  return Narrower(arena, body, uniformity)(body);
}

} // namespace tangram::integer_narrowing
