#include "tangram/c-family/Constants.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"

namespace tangram::c_family {

using namespace ast;

Constants::Constants(const Kernel &kernel) : assigned_(assignedVariables(kernel.body)) {
  for (std::size_t i = 0; i < kernel.constants.size() && i < kernel.defaults.size(); ++i)
    defaults_[kernel.constants[i]->name] = kernel.defaults[i];
  // Launches have names of their own: one that means two things has no known value.
  std::set<std::string> several;
  auto starts = [&](const std::string &name, const Expr *value) {
    if (assigned_.count(name)) return;
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
          if (any<VarRef>(launch.args[i], [&](const VarRef &v) { return v.name == name; })) several.insert(name);
          starts(name, launch.args[i]);
        }
      });
  for (const Param *p : kernel.params) several.insert(p->name);
  for (const std::string &name : several) initialisers_.erase(name);
}

const Expr *Constants::initialiser(const std::string &variable) const {
  auto it = initialisers_.find(variable);
  return it == initialisers_.end() ? nullptr : it->second;
}

bool Constants::isConstantExpression(const Expr *e) const {
  if (!e->type.isScalar()) return false;
  switch (e->kind()) {
  case Kind::IntLit:
  case Kind::FloatLit: return true;
  case Kind::VarRef: {
    if (!e->type.isInteger()) return false;
    const std::string &name = as<VarRef>(e)->name;
    if (defaults_.count(name)) return true;
    auto known = areConstant_.find(name);
    if (known != areConstant_.end()) return known->second;
    const Expr *init = initialiser(name);
    return areConstant_[name] = init && isConstantExpression(init);
  }
  case Kind::Cast: return isConstantExpression(as<Cast>(e)->operand);
  case Kind::Unary: {
    UnaryOp op = as<Unary>(e)->op;
    bool plain = op == UnaryOp::Plus || op == UnaryOp::Minus || op == UnaryOp::Not || op == UnaryOp::BitNot;
    return plain && isConstantExpression(as<Unary>(e)->operand);
  }
  case Kind::Binary: {
    const auto *b = as<Binary>(e);
    // What overflows, divides by zero or shifts too far is no constant expression.
    return isConstantExpression(b->lhs) && isConstantExpression(b->rhs) && value(e);
  }
  case Kind::Conditional: {
    const auto *c = as<Conditional>(e);
    return isConstantExpression(c->cond) && isConstantExpression(c->then) && isConstantExpression(c->otherwise);
  }
  default: return false;
  }
}

const Expr *Constants::inlined(const Expr *e, Arena &arena) const {
  class Inline final : public Mutator {
  public:
    Inline(const Constants &constants, Arena &arena) : Mutator(arena), constants_(constants) {}

  private:
    const Node *mutateVarRef(const VarRef *v) override {
      const Expr *init = constants_.initialiser(v->name);
      if (!init || !constants_.isConstantExpression(v)) return v;
      const Expr *value = as<Expr>((*this)(init));
      return value->type == v->type ? value : Build(arena()).cast(v->type, value);
    }
    const Constants &constants_;
  };
  Inline inlining(*this, arena);
  return inlining(e);
}

std::optional<std::int64_t> Constants::value(const Expr *e) const {
  if (!e->type.isInteger()) return {};
  Arena scratch;
  Build build(scratch);
  switch (e->kind()) {
  case Kind::IntLit: return as<IntLit>(e)->value;
  case Kind::VarRef: {
    const std::string &name = as<VarRef>(e)->name;
    auto constant = defaults_.find(name);
    if (constant != defaults_.end()) return value(constant->second);
    auto known = values_.find(name);
    if (known != values_.end()) return known->second;
    const Expr *init = initialiser(name);
    return values_[name] = init ? value(init) : std::nullopt;
  }
  case Kind::Cast: {
    std::optional<Int> operand = value(as<Cast>(e)->operand);
    if (!operand) return {};
    return literal(build.cast(e->type, build.integer(as<Cast>(e)->operand->type, *operand)));
  }
  case Kind::Binary: {
    const auto *b = as<Binary>(e);
    std::optional<Int> lhs = value(b->lhs), rhs = value(b->rhs);
    if (!lhs || !rhs) return {};
    return literal(build.binary(b->op, build.integer(b->lhs->type, *lhs), build.integer(b->rhs->type, *rhs)));
  }
  case Kind::Conditional: {
    const auto *c = as<Conditional>(e);
    std::optional<Int> cond = value(c->cond);
    if (!cond) return {};
    return value(*cond ? c->then : c->otherwise);
  }
  default: return {};
  }
}

std::optional<Int> Constants::turns(const For &loop) const {
  const auto *first = dyn<Declare>(loop.init);
  if (const auto *several = dyn<Block>(loop.init); several && several->stmts.size() == 1)
    first = dyn<Declare>(several->stmts[0]);
  const auto *cond = dyn<Binary>(loop.cond);
  const auto *step = dyn<Unary>(loop.step);
  if (!first || !first->init || !cond || cond->op != BinaryOp::Lt || !step) return {};
  auto counts = [&](const Expr *e) {
    const auto *ref = dyn<VarRef>(e);
    return ref && ref->name == first->name;
  };
  bool up = step->op == UnaryOp::PreInc || step->op == UnaryOp::PostInc;
  if (!up || !counts(step->operand) || !counts(cond->lhs) || assignedVariables(loop.body).count(first->name)) return {};
  std::optional<Int> begin = value(first->init), end = value(cond->rhs);
  if (!begin || !end || *end <= *begin) return {};
  return *end - *begin;
}

std::optional<Int> Constants::turnsThrough(const For &loop, const std::set<std::string> &arrays) const {
  constexpr Int kMost = 16;
  std::optional<Int> turns = this->turns(loop);
  if (!turns || *turns > kMost) return {};
  if (!any<VarRef>(loop.body, [&](const VarRef &ref) { return arrays.count(ref.name) > 0; })) return {};
  return turns;
}

/// How many there are where loops are written out; many may be more. Functions are many.
std::optional<Int> Constants::statements(const Stmt *s) const {
  constexpr Int kFunction = 100;
  if (isa<Evaluate>(s) || isa<Declare>(s)) {
    Int all = 1;
    walk(s, [&](const Call &) { all += kFunction; });
    return all;
  }
  std::optional<Int> all = 0;
  auto add = [&](const Stmt *more) {
    std::optional<Int> count = more ? statements(more) : std::optional<Int>(0);
    all = all && count ? std::optional<Int>(*all + *count) : std::nullopt;
  };
  if (const auto *block = dyn<Block>(s)) {
    for (const Stmt *inner : block->stmts) add(inner);
    return all;
  }
  if (const auto *branch = dyn<If>(s)) {
    add(branch->then);
    add(branch->otherwise);
    return all;
  }
  const auto *loop = dyn<For>(s);
  std::optional<Int> each = loop ? turns(*loop) : std::nullopt;
  if (!each) return {};
  add(loop->body);
  constexpr Int kMany = Int(1) << 20;
  return all ? std::optional<Int>(std::min(kMany, *all * std::min(*each, kMany))) : std::nullopt;
}

bool Constants::isWrittenOut(const For &loop, const std::set<std::string> &arrays) const {
  constexpr Int kMost = 4096; // statements
  if (!turnsThrough(loop, arrays) || !any<For>(loop.body, [](const For &) { return true; })) return false;
  const std::optional<Int> all = statements(&loop);
  return all && *all <= kMost;
}

} // namespace tangram::c_family
