#include "tangram/ast/KnownValues.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Casts.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::ast {

KnownValues::KnownValues(const Kernel &kernel) : assigned_(assignedVariables(kernel.body)) {
  for (std::size_t i = 0; i < kernel.constants.size() && i < kernel.defaults.size(); ++i) {
    defaults_[kernel.constants[i]->name] = kernel.defaults[i];
    parameters_.insert(kernel.constants[i]->name);
  }
  for (const Param *p : kernel.params) // what a container holds may change, its sizes do not
    if (p->type.isArray() || (p->access == Access::In && isFixed(p->name))) parameters_.insert(p->name);
  // Launches have names of their own: one that means two things has no known value.
  std::set<std::string> several;
  auto starts = [&](const std::string &name, const Expr *value) {
    if (!isFixed(name)) return;
    auto [known, isNew] = initialisers_.emplace(name, value);
    if (!isNew && !equal(known->second, value)) several.insert(name);
  };
  walk(
      kernel.body,
      [&](const Declare &d) {
        if (d.init && d.extents.empty()) starts(d.name, d.init);
      },
      [&](const Launch &launch) {
        for (std::size_t i = 0; i < launch.params.size() && i < launch.args.size(); ++i) {
          const std::string &name = launch.params[i]->name;
          const auto *same = dyn<VarRef>(launch.args[i]);
          if (same && same->name == name) continue;
          if (mentions(launch.args[i], name)) several.insert(name);
          starts(name, launch.args[i]);
        }
      });
  for (const Param *p : kernel.params) several.insert(p->name);
  for (const std::string &name : several) initialisers_.erase(name);
}

const Expr *KnownValues::initialiser(const std::string &variable) const {
  auto it = initialisers_.find(variable);
  return it == initialisers_.end() ? nullptr : it->second;
}

std::optional<Int> KnownValues::value(const Expr *e, std::set<std::string> *used) const {
  if (!e->type.isInteger()) return {};
  Arena scratch;
  Build build(scratch);
  switch (exprKind(*e)) {
  case ExprKind::IntLit: return as<IntLit>(e)->value;
  case ExprKind::VarRef: return valueOf(as<VarRef>(e)->name, used);
  case ExprKind::Cast: {
    if (!as<Cast>(e)->operand->type.isInteger()) return {};
    std::optional<Int> operand = value(as<Cast>(e)->operand, used);
    if (!operand) return {};
    return literal(build.cast(e->type, build.integer(as<Cast>(e)->operand->type, *operand)));
  }
  case ExprKind::Unary: {
    const auto *u = as<Unary>(e);
    if (u->op != UnaryOp::Minus || !u->operand->type.isInteger()) return {};
    std::optional<Int> operand = value(u->operand, used);
    if (!operand) return {};
    return literal(build.sub(build.integer(e->type, 0), build.integer(u->operand->type, *operand)));
  }
  case ExprKind::Binary: {
    const auto *b = as<Binary>(e);
    if (!b->lhs->type.isInteger() || !b->rhs->type.isInteger()) return {};
    std::optional<Int> lhs = value(b->lhs, used);
    std::optional<Int> rhs = lhs ? value(b->rhs, used) : std::nullopt;
    if (!rhs) return {};
    return literal(build.binary(b->op, build.integer(b->lhs->type, *lhs), build.integer(b->rhs->type, *rhs)));
  }
  case ExprKind::Conditional: {
    const auto *c = as<Conditional>(e);
    std::optional<Int> cond = value(c->cond, used);
    return cond ? value(*cond ? c->then : c->otherwise, used) : std::nullopt;
  }
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
  return {};
}

std::optional<Int> KnownValues::valueOf(const std::string &variable, std::set<std::string> *used) const {
  auto known = values_.find(variable);
  if (known == values_.end()) {
    Value value;
    if (auto constant = defaults_.find(variable); constant != defaults_.end()) {
      value.number = this->value(constant->second, &value.used);
      if (value.number) value.used.insert(variable);
    } else if (const Expr *init = initialiser(variable)) {
      value.number = this->value(init, &value.used);
    }
    known = values_.emplace(variable, std::move(value)).first;
  }
  if (used) used->insert(known->second.used.begin(), known->second.used.end());
  return known->second.number;
}

bool KnownValues::isConstantExpression(const Expr *e) const {
  if (!e->type.isScalar()) return false;
  switch (exprKind(*e)) {
  case ExprKind::IntLit:
  case ExprKind::FloatLit: return true;
  case ExprKind::VarRef: {
    if (!e->type.isInteger()) return false;
    const std::string &name = as<VarRef>(e)->name;
    if (defaults_.count(name)) return true;
    auto known = areConstant_.find(name);
    if (known != areConstant_.end()) return known->second;
    const Expr *init = initialiser(name);
    return areConstant_[name] = init && isConstantExpression(init);
  }
  case ExprKind::Cast: return isConstantExpression(as<Cast>(e)->operand);
  case ExprKind::Unary: {
    UnaryOp op = as<Unary>(e)->op;
    bool plain = op == UnaryOp::Plus || op == UnaryOp::Minus || op == UnaryOp::Not || op == UnaryOp::BitNot;
    return plain && isConstantExpression(as<Unary>(e)->operand);
  }
  case ExprKind::Binary: {
    const auto *b = as<Binary>(e);
    // What overflows, divides by zero or shifts too far is no constant expression.
    return isConstantExpression(b->lhs) && isConstantExpression(b->rhs) && value(e);
  }
  case ExprKind::Conditional: {
    const auto *c = as<Conditional>(e);
    return isConstantExpression(c->cond) && isConstantExpression(c->then) && isConstantExpression(c->otherwise);
  }
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
  return false;
}

const Expr *KnownValues::inlined(const Expr *e, Arena &arena) const {
  class Inline final : public Mutator {
  public:
    Inline(const KnownValues &known, Arena &arena) : Mutator(arena), known_(known) {}

  private:
    const Node *mutateVarRef(const VarRef *v) override {
      const Expr *init = known_.initialiser(v->name);
      if (!init || !known_.isConstantExpression(v)) return v;
      const Expr *value = as<Expr>((*this)(init));
      return value->type == v->type ? value : Build(arena()).cast(v->type, value);
    }
    const KnownValues &known_;
  };
  Inline inlining(*this, arena);
  return inlining(e);
}

const Expr *KnownValues::upperBound(const Expr *e, Arena &arena) const {
  if (isConstantExpression(e)) return inlined(e, arena);
  if (!e->type.isInteger() || e->type.isSigned()) return nullptr;
  const Build build(arena, e->range);
  if (const auto *v = dyn<VarRef>(e)) {
    const Expr *init = initialiser(v->name);
    return init && init->type == v->type ? upperBound(init, arena) : nullptr;
  }
  if (const auto *cast = dyn<Cast>(e)) {
    const Expr *bound = cast->operand->type.bytes() <= e->type.bytes() ? upperBound(cast->operand, arena) : nullptr;
    return bound ? build.cast(e->type, bound) : nullptr;
  }
  if (const auto *choice = dyn<Conditional>(e)) {
    const auto *compared = dyn<Binary>(withoutCasts(choice->cond));
    const bool lesser = compared && compared->op == BinaryOp::Lt && equal(compared->lhs, choice->then) &&
                        equal(compared->rhs, choice->otherwise);
    if (!lesser) return nullptr;
    const Expr *bound = upperBound(choice->then, arena);
    return bound ? bound : upperBound(choice->otherwise, arena);
  }
  if (const auto *sum = dyn<Binary>(e); sum && sum->op == BinaryOp::Add) {
    const Expr *left = upperBound(sum->lhs, arena), *right = upperBound(sum->rhs, arena);
    const Expr *bound = left && right ? build.add(left, right) : nullptr;
    return bound && value(bound) ? bound : nullptr;
  }
  return nullptr;
}

const Expr *KnownValues::overParameters(const Expr *e, Arena &arena) const {
  struct Inline final : Mutator {
    Inline(const KnownValues &known, Arena &arena) : Mutator(arena), known(known) {}
    const Node *mutateVarRef(const VarRef *v) override {
      if (known.parameters_.count(v->name)) return v;
      const Expr *init = known.initialiser(v->name);
      if (init && v->type.isScalar()) return mutateAs(init);
      failed = true;
      return v;
    }
    const Node *mutateBinary(const Binary *b) override {
      const Binary *result = rebuild(b);
      const Expr *folded = Build(this->arena(), b->range).binary(b->op, result->lhs, result->rhs);
      return folded->type == b->type ? folded : result;
    }
    const Node *mutateCast(const Cast *c) override {
      const Cast *result = rebuild(c);
      return Build(this->arena(), c->range).cast(c->type, result->operand);
    }
    const KnownValues &known;
    bool failed = false;
  };
  bool memory = any<Expr>(e, [](const Expr &part) {
    return isa<Subscript>(&part) || isa<Atomic>(&part) || isa<WorkerIndex>(&part) || isa<Shuffle>(&part) ||
           (isa<Unary>(&part) && as<Unary>(&part)->op == UnaryOp::Deref);
  });
  if (memory || hasEffects(e)) return nullptr;
  Inline inlining(*this, arena);
  const Expr *result = inlining(e);
  return inlining.failed ? nullptr : result;
}

const Kernel *freeze(Arena &arena, const Kernel *kernel, const std::set<std::string> &frozen) {
  if (frozen.empty()) return kernel;
  KnownValues known(*kernel);
  Build b(arena, kernel->range);
  std::map<std::string, const Expr *> values;
  std::vector<const Param *> constants;
  std::vector<const Expr *> defaults;
  for (std::size_t i = 0; i < kernel->constants.size(); ++i) {
    const Param *p = kernel->constants[i];
    std::optional<Int> value = known.value(kernel->defaults[i]);
    if (frozen.count(p->name) && value) {
      values[p->name] = b.integer(p->type, *value);
    } else {
      constants.push_back(p);
      defaults.push_back(kernel->defaults[i]);
    }
  }
  walk(kernel->body, [&](const Declare &d) {
    if (!known.initialiser(d.name) || !d.type.isInteger()) return;
    std::set<std::string> used;
    std::optional<Int> value = known.value(d.init, &used);
    bool fixed = value && std::all_of(used.begin(), used.end(), [&](const auto &name) { return frozen.count(name); });
    if (fixed) values[d.name] = b.integer(d.type, *value);
  });
  const Kernel *fixed = substituted(arena, kernel, [&](const VarRef *v) -> const Expr * {
    auto it = values.find(v->name);
    return it == values.end() ? v : it->second;
  });
  return arena.derive(fixed, [&](Kernel &copy) {
    copy.constants = std::move(constants);
    copy.defaults = std::move(defaults);
    // What was asked of a constant holds for its number.
    std::erase_if(copy.conditions, [&](const Expr *condition) {
      return !contains<VarRef>(condition) && known.value(condition).value_or(0);
    });
  });
}

} // namespace tangram::ast
