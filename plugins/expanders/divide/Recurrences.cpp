#include "Recurrences.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Statements.h"
#include "tangram/nest/Updates.h"

#include <algorithm>

namespace tangram::divide {

using namespace ast;

namespace {

using Exprs = std::vector<const Expr *>;
using Stmts = std::vector<const Stmt *>;

bool isScalar(const Expr *e, const std::string &scalar) {
  const auto *v = dyn<VarRef>(e);
  return v && v->name == scalar;
}

/// The assignment that a statement is, to a scalar; null: it is none.
const Assign *settingOf(const Stmt *s, const std::string &scalar) {
  const auto *evaluate = dyn<Evaluate>(s);
  const auto *set = evaluate ? dyn<Assign>(evaluate->expr) : nullptr;
  return set && isScalar(set->target, scalar) && !hasEffects(set->value) ? set : nullptr;
}

/// An expression as `factor * s + rest`. Null: 1, and nothing.
struct LinearTerm {
  const Expr *factor = nullptr;
  bool hasScalar = false;
};

class LinearForm {
public:
  LinearForm(const std::string &scalar, Arena &arena, SourceRange where) : scalar_(scalar), build_(arena, where) {}

  /// Nothing where it is no linear function of the scalar, or its factor is not of numbers as they are computed with.
  std::optional<LinearTerm> of(const Expr *e) const {
    if (isScalar(e, scalar_)) return LinearTerm{nullptr, true};
    if (!nest::mentionsValue(e, scalar_)) return LinearTerm{};
    if (const auto *cast = dyn<Cast>(e)) {
      const Type &to = cast->type, &from = cast->operand->type;
      const bool reals = to.isFloating() && from.isFloating(), same = to == from;
      // Factors stay in the wider type.
      return reals || same ? of(cast->operand) : std::nullopt;
    }
    if (const auto *u = dyn<Unary>(e); u && u->op == UnaryOp::Minus) return times(of(u->operand), minusOne(e->type));
    const auto *b = dyn<Binary>(e);
    if (!b) return {};
    const std::optional<LinearTerm> left = of(b->lhs), right = of(b->rhs);
    if (!left || !right) return {};
    switch (b->op) {
    case BinaryOp::Add: return sum(*left, *right, b->type);
    case BinaryOp::Sub: {
      const std::optional<LinearTerm> taken = times(right, minusOne(b->type));
      return taken ? sum(*left, *taken, b->type) : std::nullopt;
    }
    case BinaryOp::Mul:
      if (left->hasScalar && right->hasScalar) return {};
      return left->hasScalar ? times(left, b->rhs) : times(right, b->lhs);
    case BinaryOp::Div:
      if (right->hasScalar || !b->type.isFloating()) return {};
      return LinearTerm{build_.div(left->factor ? wide(left->factor, b->type) : one(b->type), b->rhs), true};
    default: return {};
    }
  }
  const Expr *one(const Type &type) const {
    return type.isFloating() ? build_.arena().make<FloatLit>({}, type, 1.0) : build_.integer(type, 1);
  }

private:
  const Expr *minusOne(const Type &type) const {
    return type.isFloating() ? build_.arena().make<FloatLit>({}, type, -1.0) : build_.integer(type, -1);
  }
  const Expr *wide(const Expr *factor, const Type &type) const {
    return factor->type.bytes() < type.bytes() ? build_.cast(type, factor) : factor;
  }
  std::optional<LinearTerm> times(const std::optional<LinearTerm> &form, const Expr *by) const {
    if (!form || !form->hasScalar) return form;
    if (!form->factor) return LinearTerm{by, true};
    return LinearTerm{build_.mul(wide(form->factor, by->type), wide(by, form->factor->type)), true};
  }
  std::optional<LinearTerm> sum(const LinearTerm &a, const LinearTerm &b, const Type &type) const {
    if (!a.hasScalar || !b.hasScalar) return a.hasScalar ? a : b;
    const Expr *x = a.factor ? a.factor : one(type), *y = b.factor ? b.factor : one(type);
    return LinearTerm{build_.add(wide(x, y->type), wide(y, x->type)), true};
  }

  const std::string &scalar_;
  Build build_;
};

/// What one statement does to the scalar.
struct ScalarStep {
  std::optional<nest::ReductionOp> op; // s = s op e
  const Expr *restarts = nullptr;      // where this is true, s = e
  bool restartsElse = false;           // where `restarts` is false
  bool always = false;                 // s = e
  std::optional<const Expr *> factor;  // s = factor * s + e; null: 1
  Exprs operands;
};

/// A statement `scalar = value`.
const Stmt *setting(const Assign &set, const Expr *value, Arena &arena) {
  return Build(arena, set.range).assign(set.target, value);
}

/// s = c ? e : (s op f), with `e` on either side.
std::optional<ScalarStep> restartedByChoice(const Assign &set, const std::string &scalar, const Module &module,
                                            Arena &arena) {
  const auto *choice = set.op == AssignOp::Set ? dyn<Conditional>(set.value) : nullptr;
  if (!choice || nest::mentionsValue(choice->cond, scalar)) return {};
  const bool then = nest::mentionsValue(choice->then, scalar),
             otherwise = nest::mentionsValue(choice->otherwise, scalar);
  if (then == otherwise) return {};
  const Expr *onward = then ? choice->then : choice->otherwise, *anew = then ? choice->otherwise : choice->then;
  ScalarStep step{{}, choice->cond, then, false, {}, {choice->cond, anew}};
  if (isScalar(onward, scalar)) return step;
  const std::optional<nest::Update> update = nest::updateOf(setting(set, onward, arena), module);
  if (!update) return {};
  step.op = update->op;
  if (update->value) step.operands.push_back(update->value);
  return step;
}

std::optional<ScalarStep> stepOf(const Stmt *s, const std::string &scalar, const Module &module, Arena &arena) {
  if (const std::optional<nest::Update> update = nest::updateOf(s, module)) {
    if (!isScalar(update->target, scalar)) return {};
    ScalarStep step{update->op, nullptr, false, false, {}, {}};
    if (update->value) step.operands.push_back(update->value);
    const bool scales = update->op == nest::ReductionOp::Mul;
    if (scales) step.factor = update->value;
    if (update->op == nest::ReductionOp::Add) step.factor = nullptr;
    return step;
  }
  const Assign *set = settingOf(s, scalar);
  if (!set) return {};
  if (set->op == AssignOp::Set && !nest::mentionsValue(set->value, scalar))
    return ScalarStep{{}, nullptr, false, true, {}, {set->value}};
  if (std::optional<ScalarStep> step = restartedByChoice(*set, scalar, module, arena)) return step;
  const LinearForm form(scalar, arena, set->range);
  const bool adds = set->op == AssignOp::Add;
  if (!adds && set->op != AssignOp::Set) return {};
  std::optional<LinearTerm> linear = form.of(set->value);
  if (!linear) return {};
  const Expr *factor = linear->factor;
  if (adds) { // s += a * s + b
    const Expr *one = form.one(set->value->type);
    if (factor && factor->type.bytes() > one->type.bytes()) one = form.one(factor->type);
    factor = linear->hasScalar ? Build(arena, set->range).add(one, factor ? factor : one) : nullptr;
  }
  return ScalarStep{{}, nullptr, false, false, factor, {set->value}};
}

/// All statements that set the scalar; nothing where another expression does.
std::optional<Stmts> settersOf(const Stmts &body, const std::string &scalar, const Module &module) {
  Stmts found;
  std::size_t all = 0;
  auto look = [&](auto &&self, const Stmts &stmts) -> void {
    for (const Stmt *s : stmts) {
      const std::optional<nest::Update> u = nest::updateOf(s, module);
      if ((u && isScalar(u->target, scalar)) || settingOf(s, scalar))
        found.push_back(s);
      else if (const auto *branch = dyn<If>(s)) {
        self(self, branch->then->stmts);
        if (branch->otherwise) self(self, branch->otherwise->stmts);
      }
    }
  };
  look(look, body);
  for (const Stmt *s : body)
    walk(
        s, [&](const Assign &a) { all += isScalar(a.target, scalar); },
        [&](const Unary &u) { all += hasEffects(&u) && isScalar(u.operand, scalar); });
  return all == found.size() ? std::optional(found) : std::nullopt;
}

/// Sets companions beside updates.
class CompanionMaker : public Mutator {
public:
  CompanionMaker(const Recurrence &recurrence, const std::string &scalar, const Expr *companion, const Module &module,
                 Arena &arena)
      : Mutator(arena), recurrence_(recurrence), scalar_(scalar), companion_(companion), module_(module) {}

  Stmts mutated(const Stmts &stmts) {
    Stmts result;
    for (const Stmt *s : stmts) {
      if (isUpdate(s)) {
        if (const Stmt *own = companionOf(s)) result.push_back(own);
        result.push_back(s);
      } else {
        result.push_back(as<Stmt>(mutate(s)));
      }
    }
    return result;
  }

protected:
  const Node *mutateBlock(const Block *block) override {
    Stmts stmts = mutated(block->stmts);
    return stmts == block->stmts ? block : arena().derive(block, [&](Block &b) { b.stmts = std::move(stmts); });
  }

private:
  bool isUpdate(const Stmt *s) const {
    return std::find(recurrence_.updates.begin(), recurrence_.updates.end(), s) != recurrence_.updates.end();
  }
  const Stmt *companionOf(const Stmt *s) {
    const std::optional<ScalarStep> step = stepOf(s, scalar_, module_, arena());
    const Build build(arena(), s->range);
    if (recurrence_.kind == Recurrence::Kind::Linear) {
      if (!*step->factor) return nullptr;
      return build.assign(companion_, build.mul(companion_, build.cast(companion_->type, *step->factor)));
    }
    const Stmt *anew = build.assign(companion_, build.boolean(true));
    if (step->always) return anew;
    if (!step->restarts) return nullptr;
    return build.when(step->restartsElse ? build.logicalNot(step->restarts) : step->restarts, {anew});
  }

  const Recurrence &recurrence_;
  const std::string &scalar_;
  const Expr *companion_;
  const Module &module_;
};

} // namespace

std::optional<Recurrence> recurrenceOf(const Stmts &body, const std::string &scalar, const Type &type,
                                       const Module &module) {
  const std::optional<Stmts> setters = settersOf(body, scalar, module);
  if (!setters || setters->empty()) return {};
  Arena scratch;
  Recurrence result;
  result.updates = *setters;
  result.factorType = type;
  std::set<nest::ReductionOp> ops;
  bool restarts = false, combines = true, scales = false,
       linear = type.isFloating() || (type.isInteger() && !type.isSigned());
  for (const Stmt *s : *setters) {
    const std::optional<ScalarStep> step = stepOf(s, scalar, module, scratch);
    if (!step) return {};
    if (step->op) ops.insert(*step->op);
    const bool anew = step->always || step->restarts;
    restarts |= anew;
    combines &= step->op || anew;
    linear &= step->factor.has_value();
    scales |= step->factor && *step->factor;
    if (step->factor && *step->factor && (*step->factor)->type.bytes() > result.factorType.bytes())
      result.factorType = (*step->factor)->type;
  }
  if (combines && ops.size() <= 1) {
    // A scalar that is only set anew keeps its last value: the greatest of that and of the least number there is.
    result.op = ops.empty() ? (type.isBool() ? nest::ReductionOp::Or : nest::ReductionOp::Max) : *ops.begin();
    result.kind = restarts ? Recurrence::Kind::Restarted : Recurrence::Kind::Combined;
    return result;
  }
  if (!linear || type.isBool() || type.bytes() < 4) return {};
  if (scales) result.kind = Recurrence::Kind::Linear; // else s = s + a + b
  return result;
}

Exprs operandsOf(const Stmt *update, const std::string &scalar, const Module &module) {
  Arena scratch;
  const std::optional<ScalarStep> step = stepOf(update, scalar, module, scratch);
  return step ? step->operands : Exprs{};
}

Stmts withCompanion(const Stmts &stmts, const Recurrence &recurrence, const std::string &scalar, const Expr *companion,
                    const Module &module, Arena &arena) {
  return CompanionMaker(recurrence, scalar, companion, module, arena).mutated(stmts);
}

} // namespace tangram::divide
