#include "EvaluatorParts.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Walk.h"

namespace tangram::races {

using namespace ast;

namespace {

bool leaves(const Block *b) {
  return !b->stmts.empty() &&
         (isa<Return>(b->stmts.back()) || isa<Continue>(b->stmts.back()) || isa<Break>(b->stmts.back()));
}

/// Containers that a tree may write or pass on.
std::set<std::string> mentioned(const Node *tree) {
  std::set<std::string> names;
  walk(tree, [&](const VarRef &v) {
    if (v.type.isArray()) names.insert(v.name);
  });
  return names;
}

} // namespace

void Evaluator::forget(const std::set<std::string> &variables) {
  for (const std::string &name : variables)
    if (auto it = values_.find(name); it != values_.end()) it->second = symbols_.any();
}

void Evaluator::forgetFills(const Node *tree) {
  for (const std::string &name : mentioned(tree))
    if (auto it = views_.find(name); it != views_.end())
      if (auto root = roots_.find(it->second.root); root != roots_.end()) root->second.changed();
}

void Evaluator::conditionally(const Node *tree, bool conditional, const std::function<void()> &inside) {
  std::size_t facts = facts_.size(), zeros = zeros_.size();
  bool before = conditional_;
  conditional_ |= conditional;
  inside();
  conditional_ = before;
  facts_.resize(facts);
  zeros_.resize(zeros);
  forget(assignedVariables(tree));
  forgetFills(tree);
}

void Evaluator::block(const Block *b) {
  if (!b) return;
  std::size_t facts = facts_.size(), zeros = zeros_.size();
  bool before = conditional_;
  for (const Stmt *s : b->stmts) statement(s);
  conditional_ = before;
  facts_.resize(facts);
  zeros_.resize(zeros);
}

void Evaluator::statement(const Stmt *s) {
  if (!s) return;
  switch (stmtKind(*s)) {
  case StmtKind::Block: return block(as<Block>(s));
  case StmtKind::Declare: return declare(as<Declare>(s));
  case StmtKind::Evaluate: return effects(as<Evaluate>(s)->expr);
  case StmtKind::Return: return effects(as<Return>(s)->value);
  case StmtKind::For: return forLoop(as<For>(s));
  case StmtKind::If: {
    const If *n = as<If>(s);
    effects(n->cond);
    bool conditional = !sameInAllCalls(n->cond);
    std::map<std::string, Polynomial> values = values_;
    conditionally(n->then, conditional, [&] {
      assume(n->cond, true);
      block(n->then);
    });
    if (n->otherwise) {
      std::swap(values, values_);
      conditionally(n->otherwise, conditional, [&] {
        assume(n->cond, false);
        block(n->otherwise);
      });
      forget(assignedVariables(n->then));
    }
    if (leaves(n->then)) { // until the end of the block
      conditional_ |= conditional;
      assume(n->cond, false);
    }
    return;
  }
  case StmtKind::While:
    loopBody(s, [&] {
      effects(as<While>(s)->cond);
      assume(as<While>(s)->cond, true);
      block(as<While>(s)->body);
    });
    return;
  case StmtKind::DoWhile:
    loopBody(s, [&] {
      block(as<DoWhile>(s)->body);
      effects(as<DoWhile>(s)->cond);
    });
    return;
  case StmtKind::Switch:
    effects(as<Switch>(s)->value);
    for (const Case *c : as<Switch>(s)->cases) conditionally(c->body, true, [&] { block(c->body); });
    return;
  // Jumps (leaves), and what does not stand in a codelet before a plan is chosen.
  case StmtKind::Break:
  case StmtKind::Continue:
  case StmtKind::Loop:
  case StmtKind::Cooperate:
  case StmtKind::Sync:
  case StmtKind::View:
  case StmtKind::Alloc:
  case StmtKind::Launch:
  case StmtKind::Single:
  case StmtKind::Await:
  case StmtKind::Report:
  case StmtKind::VectorStore: return;
  }
}

void Evaluator::loopBody(const Node *loop, const std::function<void()> &inside) {
  forget(assignedVariables(loop));
  forgetFills(loop);
  bool before = inLoop_;
  inLoop_ = true;
  conditionally(loop, false, inside);
  inLoop_ = before;
}

void Evaluator::forLoop(const For *loop) {
  // for (i = first; i < bound; i += step), of an i that nothing else changes
  std::string variable;
  Polynomial first = Polynomial::unknown();
  if (const auto *d = dyn<Declare>(loop->init)) {
    declare(d);
    if (isNumber(d->type)) variable = d->name, first = values_[d->name];
  } else if (const auto *e = dyn<Evaluate>(loop->init)) {
    effects(e->expr);
    const auto *set = dyn<Assign>(e->expr);
    const VarRef *v = set && set->op == AssignOp::Set ? dyn<VarRef>(set->target) : nullptr;
    if (v && isNumber(v->type)) variable = v->name, first = values_[v->name];
  } else {
    statement(loop->init);
  }
  std::optional<Polynomial> step;
  const auto *counts = dyn<Unary>(loop->step);
  const auto *adds = dyn<Assign>(loop->step);
  auto isVariable = [&](const Expr *e) { return isa<VarRef>(e) && as<VarRef>(e)->name == variable; };
  if (counts && isVariable(counts->operand)) {
    if (counts->op == UnaryOp::PreInc || counts->op == UnaryOp::PostInc) step = 1;
    if (counts->op == UnaryOp::PreDec || counts->op == UnaryOp::PostDec) step = -1;
  } else if (adds && isVariable(adds->target)) {
    const Expr *by = nullptr;
    if (adds->op == AssignOp::Add) {
      by = adds->value;
    } else if (const auto *sum = dyn<Binary>(withoutCasts(adds->value));
               sum && adds->op == AssignOp::Set && sum->op == BinaryOp::Add) {
      if (isVariable(withoutCasts(sum->lhs))) by = sum->rhs;
      if (isVariable(withoutCasts(sum->rhs))) by = sum->lhs;
    }
    std::set<std::string> changed = assignedVariables(loop->body);
    changed.insert(variable);
    bool steady = by && !any<VarRef>(by, [&](const VarRef &v) { return changed.count(v.name) != 0; });
    if (steady && !hasEffects(by)) step = value(by);
  }
  std::set<std::string> changed = assignedVariables(loop->body);
  if (loop->cond)
    for (const std::string &name : assignedVariables(loop->cond)) changed.insert(name);
  bool counted = !variable.empty() && step && !step->isUnknown() && !changed.count(variable);

  const Expr *bound = nullptr; // of i < bound
  if (const auto *less = dyn<Binary>(loop->cond); less && counted)
    if ((less->op == BinaryOp::Lt || less->op == BinaryOp::Ne) && isVariable(withoutCasts(less->lhs)))
      bound = less->rhs;
  if (bound && !inLoop_ && !conditional_ && fills(loop, variable, first, *step, bound)) return;

  loopBody(loop, [&] {
    bool deterministic = bound && sameInAllCalls(bound);
    if (counted && step->constant() && *step->constant() == 1) {
      std::optional<Polynomial> last;
      if (bound) last = value(bound) - Polynomial(1);
      values_[variable] = symbols_.any(first, last, false, deterministic);
    } else if (counted && step->constant() && *step->constant() == -1) {
      values_[variable] = symbols_.any({}, first);
    } else if (counted) {
      Polynomial turn = symbols_.any(Polynomial(0), {}, true, deterministic);
      values_[variable] = first + *step * turn;
    }
    if (loop->cond) {
      effects(loop->cond);
      assume(loop->cond, true);
    }
    block(loop->body);
    effects(loop->step);
  });
  if (isa<Declare>(loop->init)) values_.erase(variable);
}

/// for (i = 0; i < c.size(); ++i) c[i] = value: all of c. Lanes do so together, from coopIdx() by coopDim().
bool Evaluator::fills(const For *loop, const std::string &variable, const Polynomial &first, const Polynomial &step,
                      const Expr *bound) {
  if (loop->body->stmts.size() != 1) return false;
  const auto *e = dyn<Evaluate>(loop->body->stmts[0]);
  const auto *set = e ? dyn<Assign>(e->expr) : nullptr;
  const auto *target = set && set->op == AssignOp::Set ? dyn<Subscript>(set->target) : nullptr;
  const auto *container = target ? dyn<VarRef>(target->base) : nullptr;
  if (!container || target->indices.size() != 1 || !isNumber(set->value->type) || hasEffects(set->value)) return false;
  const auto *index = dyn<VarRef>(withoutCasts(target->indices[0]));
  auto v = views_.find(container->name);
  if (!index || index->name != variable || v == views_.end()) return false;
  auto root = roots_.find(v->second.root);
  if (root == roots_.end() || root->second.extents.size() != 1 || !v->second.prefix.empty() || !v->second.cuts.empty())
    return false;
  bool alone = first.isZero() && step == Polynomial(1);
  bool lanes = codelet_.coop && step == symbols_.lanes() && first.single() && symbols_[*first.single()].name == "lane";
  if ((!alone && !lanes) || !(value(bound) == root->second.extents[0])) return false;
  if (contains<Subscript>(set->value) || contains<SpectrumCall>(set->value) || contains<Map>(set->value)) return false;

  values_[variable] = symbols_.index();
  Polynomial filled = value(set->value);
  values_[variable] = symbols_.any(Polynomial(0), root->second.extents[0] - Polynomial(1), true, true);
  place(set->target, false, true, false);
  if (isa<Declare>(loop->init))
    values_.erase(variable);
  else
    values_[variable] = symbols_.any();
  root->second.fill = filled;
  return true;
}

void Evaluator::declare(const Declare *d) {
  if (d->type.isArray()) {
    View v;
    if (d->init) {
      if (isa<Map>(d->init) || isa<SpectrumCall>(d->init)) {
        Root root;
        root.extents.assign(d->type.rank(), Polynomial());
        for (Polynomial &extent : root.extents) extent = symbols_.any(Polynomial(0), {}, true);
        if (const auto *map = dyn<Map>(d->init)) {
          v.root = d->name;
          site(map, View{d->name, {}, {}, {}});
        } else {
          effects(d->init);
        }
        roots_[d->name] = std::move(root);
        v.root = d->name;
      } else {
        effects(d->init);
        v = view(d->init);
      }
    } else {
      Root root;
      for (const Expr *extent : d->extents) {
        effects(extent);
        root.extents.push_back(value(extent));
      }
      roots_[d->name] = std::move(root);
      v.root = d->name;
    }
    views_[d->name] = std::move(v);
    return;
  }
  for (const Expr *extent : d->extents) effects(extent);
  effects(d->init);
  if (!isNumber(d->type) || !d->extents.empty()) return;
  if (d->tunable)
    values_[d->name] = symbols_.any(Polynomial(std::max<Int>(d->tunable->lo, 1)), {}, true, true);
  else
    values_[d->name] = d->init ? value(d->init) : fresh(d->type);
}

} // namespace tangram::races
