#include "CounterSteps.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Statements.h"

#include <utility>

namespace tangram::nest {

using namespace ast;

namespace {

/// Reads statements as steps of one counter.
class CounterSteps {
public:
  CounterSteps(LinearForms &forms, const std::string &name, const Type &type)
      : forms_(forms), name_(name), type_(type) {}

  std::optional<CounterStep> of(const Stmt *s) {
    take(LinearForm::term(kSelf));
    if (const auto *e = dyn<Evaluate>(s)) return ofExpression(e->expr);
    if (const auto *c = dyn<If>(s)) return ofChoice(*c);
    if (const auto *w = dyn<While>(s)) return ofLoop(*w);
    return std::nullopt;
  }

private:
  using Where = CounterStep::Need::Where;
  using Needs = std::vector<LinearNeed>;
  /// Where it is brought back: at least, at most, or exactly at a value.
  struct Relation {
    BinaryOp op = BinaryOp::Eq;
    LinearForm edge;

    Relation negated() const {
      switch (op) {
      case BinaryOp::Ge: return {BinaryOp::Le, edge - LinearForm::of(1)};
      case BinaryOp::Le: return {BinaryOp::Ge, edge + LinearForm::of(1)};
      default: return {op == BinaryOp::Eq ? BinaryOp::Ne : BinaryOp::Eq, edge};
      }
    }
  };

  void take(const LinearForm &value) { forms_.take({{name_, value}}); }

  static void add(CounterStep &step, const Needs &needs, Where where) {
    for (const LinearNeed &n : needs) step.needs.push_back({n, where});
  }

  /// A value as the counter's type holds it.
  std::optional<LinearForm> kept(std::optional<LinearForm> value, Needs &needs) const {
    if (!value) return value;
    const TypeLimits limits = TypeLimits::of(type_);
    for (const LinearForm &need : {*value - LinearForm::of(limits.least), LinearForm::of(limits.greatest) - *value})
      if (!forms_.holds(need)) needs.push_back({need, type_.bytes()});
    return value;
  }

  /// What an expression that sets the counter, and does nothing else, sets it to.
  std::optional<LinearForm> valueOf(const Expr *e, const LinearForm &now, Needs &needs) {
    const bool overflows = !type_.isSigned() || type_.bytes() < 4;
    const auto own = [&](const std::optional<LinearForm> &v) { return overflows ? kept(v, needs) : v; };
    if (const auto *u = dyn<Unary>(e)) {
      if (!isSelf(u->operand) || !changesOperand(u->op)) return std::nullopt;
      const bool up = u->op == UnaryOp::PreInc || u->op == UnaryOp::PostInc;
      return own(now + LinearForm::of(up ? 1 : -1));
    }
    const auto *a = dyn<Assign>(e);
    if (!a || !isSelf(a->target) || hasEffects(a->value)) return std::nullopt;
    if (a->op == AssignOp::Set) return forms_.form(a->value, &needs);
    if ((a->op != AssignOp::Add && a->op != AssignOp::Sub) || a->value->type != type_) return std::nullopt;
    const std::optional<LinearForm> by = forms_.form(a->value, &needs);
    return by ? own(a->op == AssignOp::Add ? now + *by : now - *by) : std::nullopt;
  }

  std::optional<CounterStep> ofExpression(const Expr *e) {
    const auto *a = dyn<Assign>(e);
    if (a && isSelf(a->target) && !hasEffects(a->value)) {
      if (a->op == AssignOp::Set) {
        const Expr *value = a->value;
        while (const auto *c = dyn<Cast>(value)) {
          const Type &from = c->operand->type;
          if (!from.isInteger() || from.isBool() || c->type.isBool() || c->type.bytes() < type_.bytes())
            return std::nullopt;
          value = c->operand;
        }
        if (const auto *c = dyn<Conditional>(value)) {
          Needs first, second;
          return ofBranches(c->cond, kept(forms_.form(c->then, &first), first), first,
                            kept(forms_.form(c->otherwise, &second), second), second, nullptr, nullptr);
        }
        if (const auto *b = dyn<Binary>(value); b && (b->op == BinaryOp::Rem || b->op == BinaryOp::And))
          return ofRemainder(b->lhs, b->rhs, b->op == BinaryOp::And, b->type);
      }
      if ((a->op == AssignOp::Rem || a->op == AssignOp::And) && a->value->type == type_)
        return ofRemainder(a->target, a->value, a->op == AssignOp::And, type_);
    }
    Needs needs;
    const std::optional<LinearForm> value = valueOf(e, LinearForm::term(kSelf), needs);
    if (!value || value->factor(kSelf) != 1) return std::nullopt;
    CounterStep step;
    step.by = value->without(kSelf);
    add(step, needs, Where::All);
    return step;
  }

  std::optional<CounterStep> ofRemainder(const Expr *of, const Expr *by, bool masked, const Type &type) {
    CounterStep step;
    Needs needs;
    const std::optional<LinearForm> value = forms_.form(of, &needs), divisor = forms_.form(by, &needs);
    if (!value || !divisor || value->factor(kSelf) != 1 || divisor->factor(kSelf) != 0 || !type.isInteger())
      return std::nullopt;
    step.amount = masked ? *divisor + LinearForm::of(1) : *divisor;
    const std::optional<Wide> bits = step.amount.value();
    if (masked && (!bits || *bits < 1 || (*bits & (*bits - 1)) != 0)) return std::nullopt;
    step.back = CounterStep::Back::Remainder;
    step.by = value->without(kSelf);
    step.kind = step.by == LinearForm{} ? CounterStep::Kind::Wrap : CounterStep::Kind::Both;
    step.direction = 1;
    needs.push_back({*value, 0});
    // The remainder, which is converted to the counter's type.
    kept(step.amount - LinearForm::of(1), needs);
    add(step, needs, Where::All);
    return step;
  }

  std::optional<CounterStep> ofChoice(const If &c) {
    Needs first, second;
    const auto then = straight(c.then, first);
    const auto otherwise = c.otherwise ? straight(c.otherwise, second) : LinearForm::term(kSelf);
    take(LinearForm::term(kSelf));
    return ofBranches(c.cond, then, first, otherwise, second, c.then, c.otherwise);
  }

  std::optional<CounterStep> ofLoop(const While &loop) {
    Needs needs, inside;
    const auto next = straight(loop.body, inside);
    take(LinearForm::term(kSelf));
    const std::optional<Relation> relation = next ? relationOf(loop.cond, needs) : std::nullopt;
    if (!relation || next->factor(kSelf) != 1 || jumps(loop.body)) return std::nullopt;
    if (relation->op != BinaryOp::Ge && relation->op != BinaryOp::Le) return std::nullopt;
    CounterStep step;
    step.kind = CounterStep::Kind::Wrap;
    step.back = CounterStep::Back::Repeated;
    step.direction = relation->op == BinaryOp::Ge ? 1 : -1;
    step.edge = relation->edge;
    step.amount = next->without(kSelf);
    step.region = loop.body;
    add(step, needs, Where::All);
    add(step, inside, Where::Back);
    return step;
  }

  /// Of two values, one where a condition holds.
  std::optional<CounterStep> ofBranches(const Expr *cond, std::optional<LinearForm> then, const Needs &thenNeeds,
                                        std::optional<LinearForm> otherwise, const Needs &otherwiseNeeds,
                                        const Block *thenBlock, const Block *otherwiseBlock) {
    CounterStep step;
    Needs needs;
    std::optional<Relation> relation = then && otherwise ? relationOf(cond, needs) : std::nullopt;
    if (!relation) return std::nullopt;
    // That the counter is brought back in the first branch, by the condition as it is.
    bool first = true;
    const bool sets = then->factor(kSelf) == 0, other = otherwise->factor(kSelf) == 0;
    if (sets == other) {
      if (sets || then->factor(kSelf) != 1 || otherwise->factor(kSelf) != 1) return std::nullopt;
      const bool above = relation->op == BinaryOp::Ge;
      const LinearForm thenBy = then->without(kSelf), otherwiseBy = otherwise->without(kSelf), none;
      if (relation->op == BinaryOp::Eq || relation->op == BinaryOp::Ne)
        first = relation->op == BinaryOp::Eq;
      else if (thenBy == none || otherwiseBy == none)
        first = otherwiseBy == none;
      else {
        const std::optional<Wide> upper = (above ? thenBy : otherwiseBy).value(),
                                  lower = (above ? otherwiseBy : thenBy).value();
        const bool up = lower ? *lower > 0 : !upper || *upper > 0; // counts up, and is brought back from above
        first = up == above;
      }
    } else {
      first = sets;
    }
    if (!first) {
      std::swap(then, otherwise);
      relation = relation->negated();
    }
    if (relation->op == BinaryOp::Ne || otherwise->factor(kSelf) != 1 || then->factor(kSelf) > 1 ||
        then->factor(kSelf) < 0)
      return std::nullopt;
    step.by = otherwise->without(kSelf);
    step.kind = step.by == LinearForm{} ? CounterStep::Kind::Wrap : CounterStep::Kind::Both;
    step.direction = relation->op == BinaryOp::Eq ? 0 : relation->op == BinaryOp::Ge ? 1 : -1;
    step.edge = relation->edge;
    const bool reset = then->factor(kSelf) == 0;
    step.back = reset ? CounterStep::Back::Reset : CounterStep::Back::Once;
    step.amount = then->without(kSelf);
    step.region = first ? thenBlock : otherwiseBlock;
    if (step.region && jumps(step.region)) return std::nullopt;
    add(step, needs, Where::All);
    add(step, first ? thenNeeds : otherwiseNeeds, Where::Back);
    add(step, first ? otherwiseNeeds : thenNeeds, Where::Same);
    return step;
  }

  /// What the counter is behind statements that change it one after the other.
  std::optional<LinearForm> straight(const Block *block, Needs &needs) {
    LinearForm now = LinearForm::term(kSelf);
    for (const Stmt *s : block->stmts) {
      if (!changesVariable(s, name_)) continue;
      const auto *e = dyn<Evaluate>(s);
      take(now);
      const std::optional<LinearForm> next = e ? valueOf(e->expr, now, needs) : std::nullopt;
      if (!next) return std::nullopt;
      now = *next;
    }
    return now;
  }

  std::optional<Relation> relationOf(const Expr *cond, Needs &needs) {
    bool negated = false;
    for (const auto *n = dyn<Unary>(cond); n && n->op == UnaryOp::Not; n = dyn<Unary>(cond))
      cond = n->operand, negated = !negated;
    const auto *b = dyn<Binary>(cond);
    std::optional<LinearForm> left, right;
    BinaryOp op = BinaryOp::Ne;
    if (b && isComparison(b->op)) {
      op = b->op;
      left = forms_.form(b->lhs, &needs), right = forms_.form(b->rhs, &needs);
    } else if (const auto *c = dyn<Cast>(cond); c && c->type.isBool()) {
      left = forms_.form(c->operand, &needs), right = LinearForm{};
    }
    if (!left || !right) return std::nullopt;
    LinearForm apart = *left - *right;
    if (apart.factor(kSelf) == -1) apart = apart * -1, op = mirrored(op);
    if (apart.factor(kSelf) != 1) return std::nullopt;
    const LinearForm edge = apart.without(kSelf) * -1, one = LinearForm::of(1);
    Relation result;
    switch (op) {
    case BinaryOp::Ge: result = {BinaryOp::Ge, edge}; break;
    case BinaryOp::Gt: result = {BinaryOp::Ge, edge + one}; break;
    case BinaryOp::Le: result = {BinaryOp::Le, edge}; break;
    case BinaryOp::Lt: result = {BinaryOp::Le, edge - one}; break;
    default: result = {op, edge};
    }
    return negated ? result.negated() : result;
  }

  bool isSelf(const Expr *e) const {
    const auto *v = dyn<VarRef>(e);
    return v && v->name == name_;
  }
  static bool jumps(const Block *block) {
    return contains<Break>(block) || contains<Continue>(block) || contains<Return>(block);
  }

  LinearForms &forms_;
  const std::string &name_;
  const Type &type_;
};

} // namespace

std::optional<CounterStep> counterStep(const Stmt *s, const std::string &name, const Type &type, LinearForms &forms) {
  std::optional<CounterStep> step = CounterSteps(forms, name, type).of(s);
  forms.take({});
  return step;
}

} // namespace tangram::nest
