#include "Accesses.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Selections.h"
#include "tangram/nest/Statements.h"
#include "tangram/nest/Updates.h"

#include <algorithm>
#include <fmt/format.h>

#include <isl/set.h>

namespace tangram::nest {

using namespace ast;

namespace {

constexpr std::size_t kMostDimensions = 4; // of a container

/// { name[x0, ...] : x_d = index_d, where there is one }
isl::set elementsOf(isl::ctx ctx, const std::string &name, const std::vector<std::optional<isl::pw_aff>> &index,
                    const isl::set &domain) {
  isl::set result;
  for (const auto &i : index) {
    isl::set one = i ? i->as_set() : isl::set::universe(isl::space::unit(ctx).add_unnamed_tuple(1));
    result = result.is_null() ? one : isl::manage(isl_set_flat_product(result.release(), one.release()));
  }
  if (result.is_null()) result = isl::set::universe(isl::space::unit(ctx).add_unnamed_tuple(0));
  result = isl::manage(isl_set_set_tuple_id(result.release(), isl::id(ctx, name).release()));
  return result.intersect_params(domain);
}

} // namespace

Accesses::Accesses(Nest &nest, Affine &affine, const Module &module, Places places)
    : nest_(nest), affine_(affine), module_(module), allPlaces_(places == Places::All),
      condition_(isl::set::universe(isl::space::unit(nest.isl.get()))) {
  for (const Param *p : nest.codelet->params) {
    variables_[p->name] = static_cast<unsigned>(nest.variables.size());
    nest.variables.push_back({p->name,
                              p->type.isArray() ? p->type.element() : p->type,
                              p->type.rank(),
                              p->type.isArray(),
                              true,
                              {},
                              nullptr});
  }
}

template <class F> void Accesses::uncertainly(F &&f) {
  bool outer = certain_;
  certain_ = false;
  f();
  certain_ = outer;
}

/// What is evaluated where a condition holds, or does not: indices may be such there alone, `i > 0 ? x[i - 1] : 0`.
void Accesses::where(const Expr *cond, bool holds, const Expr *e) {
  const bool told = contains<Subscript>(e) && !contains<Subscript>(cond) && !hasEffects(cond);
  const std::optional<isl::set> known = told ? affine_.conditionAsIs(cond) : std::nullopt;
  if (!known) return uncertainly([&] { expr(e); });
  const isl::set outer = affine_.domain, condition = condition_;
  affine_.domain = (holds ? outer.intersect(*known) : outer.subtract(*known)).coalesce();
  condition_ = holds ? condition.intersect(*known) : condition.subtract(*known);
  uncertainly([&] { expr(e); });
  affine_.domain = outer;
  condition_ = condition;
}

Accesses::View Accesses::viewOf(const Expr *e) {
  View v;
  const Expr *at = e;
  bool exact = true;
  while (!isa<VarRef>(at)) {
    if (const auto *s = dyn<Subscript>(at)) {
      at = s->base;
    } else if (const auto *p = dyn<Partition>(at)) {
      at = p->container;
      exact = false;
    } else {
      return {};
    }
  }
  if (own_.count(as<VarRef>(at)->name)) return {};
  Place p = exact ? place(e) : place(at);
  v.roots = p.roots;
  v.prefix = exact ? p.index : std::vector<Index>(kMostDimensions);
  return v;
}

void Accesses::declare(const Declare &d, const std::vector<unsigned> &loops) {
  if (d.type.isArray() && d.init) {
    View v = viewOf(d.init);
    if (!v.roots.empty()) {
      views_[d.name] = std::move(v);
      return;
    }
  }
  variables_[d.name] = static_cast<unsigned>(nest_.variables.size());
  Variable v{d.name, d.type, static_cast<unsigned>(d.extents.size()), false, false, loops, &d};
  if (d.type.isArray()) {
    v.type = d.type.element();
    v.rank = d.type.rank();
    v.container = true;
  }
  nest_.variables.push_back(std::move(v));
}

unsigned Accesses::variable(const VarRef &v) {
  auto [it, fresh] = variables_.try_emplace(v.name, static_cast<unsigned>(nest_.variables.size()));
  if (fresh) // a table outside of functions
    nest_.variables.push_back({v.name, v.type.leaf(), 0, false, true, {}, nullptr});
  return it->second;
}

Accesses::Place Accesses::place(const Expr *e) {
  if (const auto *v = dyn<VarRef>(e)) {
    if (auto view = views_.find(v->name); view != views_.end())
      return {view->second.roots, view->second.prefix, true, nullptr, {}};
    return {{variable(*v)}, {}, true, nullptr, {}};
  }
  if (const auto *m = dyn<Member>(e)) {
    Place p = place(m->base);
    p.whole = false;
    return p;
  }
  const auto *s = dyn<Subscript>(e);
  if (!s) return {};
  Place p = place(s->base);
  if (!p.whole) return p; // an array within a struct
  for (const Expr *i : s->indices) {
    Index at = affine_.index(i);
    if (!at && !p.notAffine) p.notAffine = i;
    if (at) affine_.choices(i, p.choices);
    p.index.push_back(std::move(at));
  }
  return p;
}

void Accesses::indices(const Expr *place) {
  while (place) {
    if (const auto *s = dyn<Subscript>(place)) {
      for (const Expr *i : s->indices) expr(i);
      place = s->base;
    } else if (const auto *m = dyn<Member>(place)) {
      place = m->base;
    } else {
      if (!isa<VarRef>(place)) expr(place);
      return;
    }
  }
}

void Accesses::touch(const Expr *e, AccessKind kind) {
  indices(e);
  const VarRef *root = rootVariable(e);
  if (!root || own_.count(root->name) || affine_.isIterator(root->name)) return;
  if (kind == AccessKind::Read && isa<VarRef>(e) && !e->type.isArray() && !views_.count(root->name)) {
    const Variable &v = nest_.variables[variable(*root)];
    if (v.given && !affine_.assigned(root->name)) return; // never changes
  }
  Place p = place(e);
  for (unsigned number : p.roots) {
    const Variable &v = nest_.variables[number];
    Access a;
    a.variable = number;
    a.statement = number_;
    a.kind = kind;
    a.node = e;
    a.certain = certain_;
    std::vector<Index> index = p.roots.size() == 1 ? p.index : std::vector<Index>{};
    index.resize(v.rank);
    bool affine = std::all_of(index.begin(), index.end(), [](const Index &i) { return i.has_value(); });
    a.exact = certain_ && affine && statement_->exact && (p.whole || v.rank > 0);
    if (affine) {
      a.index.emplace();
      for (const Index &i : index) a.index->push_back(*i);
      a.choices = p.choices;
    }
    std::vector<Index> all;
    for (unsigned loop : v.scope) all.emplace_back(affine_.parameter(nest_.loops[loop].id));
    all.insert(all.end(), index.begin(), index.end());
    a.elements = elementsOf(nest_.isl.get(), v.name, all, statement_->domain);
    // Atomic operations need not be told apart, which may ask for a condition.
    if (p.roots.size() == 1 && !views_.count(root->name) && (kind != AccessKind::Atomic || allPlaces_))
      a.delinearized = delinearized(e, v, index);
    if (!p.whole) a.certain = a.certain && kind == AccessKind::Read; // one field of it
    if (p.notAffine && !affine)
      nest_.remarks.push_back({p.notAffine->range, fmt::format("index is not affine: {}", spelled(e))});
    statement_->accesses.push_back(std::move(a));
  }
}

std::optional<Access::Place> Accesses::delinearized(const Expr *e, const Variable &v, const std::vector<Index> &index) {
  const auto *element = dyn<Subscript>(e);
  if (!v.container || !element || !isa<VarRef>(element->base) || element->indices.size() != v.rank) return std::nullopt;
  if (affine_.readOnly(v.name) && !allPlaces_) return std::nullopt; // nothing depends on it
  std::vector<Index> place;
  std::vector<std::string> extents;
  Access::Place::Written written;
  std::vector<Index> sizes;
  bool any = false;
  for (unsigned loop : v.scope) place.emplace_back(affine_.parameter(nest_.loops[loop].id));
  for (unsigned d = 0; d < v.rank; ++d) {
    extents.emplace_back(); // where a dimension begins
    if (const std::optional<Delinearized> several = affine_.delinearized(element->indices[d])) {
      extents.insert(extents.end(), several->extents.begin(), several->extents.end());
      place.insert(place.end(), several->index.begin(), several->index.end());
      written = several->written;
      sizes.insert(sizes.end(), several->sizes.begin(), several->sizes.end());
      any = true;
    } else {
      place.push_back(index[d]);
    }
  }
  if (!any) return std::nullopt;
  const isl::set when = statement_->domain.intersect(condition_);
  Access::Place result{
      std::move(extents), elementsOf(nest_.isl.get(), v.name, place, when), std::move(written), {}, std::move(sizes)};
  if (std::all_of(place.begin(), place.end(), [](const Index &i) { return i.has_value(); }))
    for (const Index &i : place) result.index.push_back(*i);
  return result;
}

void Accesses::call(const std::string &spectrum, const std::vector<const Expr *> &args) {
  const Spectrum *callee = nullptr;
  for (const Spectrum *s : module_.spectrums)
    if (s->name == spectrum) callee = s;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!args[i]->type.isArray()) {
      expr(args[i]);
      continue;
    }
    const VarRef *root = nullptr;
    walk(args[i], [&](const VarRef &r) { root = root || !r.type.isArray() ? root : &r; });
    expr(args[i]); // reads all of it
    bool writes = !callee || i >= callee->params.size() || callee->params[i]->access != ast::Access::In;
    if (writes && root) uncertainly([&] { touch(root, AccessKind::Write); });
  }
}

void Accesses::expr(const Expr *e) {
  switch (exprKind(*e)) {
  case ExprKind::VarRef:
  case ExprKind::Subscript:
  case ExprKind::Member:
    if (rootVariable(e)) return touch(e, AccessKind::Read);
    break;
  case ExprKind::Assign: {
    const auto *a = as<Assign>(e);
    expr(a->value);
    if (a->op != AssignOp::Set) touch(a->target, AccessKind::Read);
    return touch(a->target, AccessKind::Write);
  }
  case ExprKind::Unary: {
    const auto *u = as<Unary>(e);
    if (u->op == UnaryOp::AddressOf)
      return uncertainly([&] {
        touch(u->operand, AccessKind::Read);
        touch(u->operand, AccessKind::Write);
      });
    if (!changesOperand(u->op)) break;
    touch(u->operand, AccessKind::Read);
    return touch(u->operand, AccessKind::Write);
  }
  case ExprKind::Atomic: {
    const auto *a = as<Atomic>(e);
    for (const Expr *o : a->operands) expr(o);
    return touch(a->target, AccessKind::Atomic);
  }
  case ExprKind::Conditional: {
    const auto *c = as<Conditional>(e);
    expr(c->cond);
    where(c->cond, true, c->then);
    return where(c->cond, false, c->otherwise);
  }
  case ExprKind::Binary: {
    const auto *b = as<Binary>(e);
    expr(b->lhs);
    if (b->op == BinaryOp::LogicalAnd || b->op == BinaryOp::LogicalOr)
      return where(b->lhs, b->op == BinaryOp::LogicalAnd, b->rhs);
    return expr(b->rhs);
  }
  case ExprKind::Size:
  case ExprKind::Pitch: return; // sizes do not change
  case ExprKind::SpectrumCall: return call(as<SpectrumCall>(e)->spectrum, as<SpectrumCall>(e)->args);
  case ExprKind::Map: return call(as<Map>(e)->spectrum, as<Map>(e)->args);
  case ExprKind::IntLit:
  case ExprKind::FloatLit:
  case ExprKind::Cast:
  case ExprKind::Call:
  case ExprKind::InitList:
  case ExprKind::Partition:
  case ExprKind::Sequence:
  case ExprKind::CoopIdx:
  case ExprKind::CoopDim:
  case TANGRAM_DEVICE_EXPRS:
  case TANGRAM_CHECKED_EXPRS:
  case TANGRAM_VECTOR_EXPRS: break;
  }
  for (const Node *child : children(*e)) node(child);
}

void Accesses::node(const Node *n) {
  if (const auto *e = dyn<Expr>(n)) return expr(e);
  if (const auto *d = dyn<Declare>(n)) {
    for (const Expr *x : d->extents) expr(x);
    if (d->init) expr(d->init);
    return;
  }
  if (isa<Evaluate>(n) || isa<Block>(n) || isa<Return>(n)) {
    for (const Node *child : children(*n)) node(child);
    return;
  }
  // Branches and loops that were not taken apart: what runs of them is not known.
  uncertainly([&] {
    for (const Node *child : children(*n)) node(child);
  });
}

void Accesses::updates() {
  std::vector<Access> &accesses = statement_->accesses;
  if (isa<Evaluate>(statement_->node) || updateOf(statement_->node, module_)) {
    const std::optional<Updated> updated = updatedBy(statement_->node);
    if (!updated) return;
    for (Access &a : accesses)
      if (a.variable == updated->variable) a.update = updated->op;
    return;
  }
  // A statement that was not taken apart may do nothing but updates with a container.
  struct Within {
    Updated updated;
    std::size_t mentioned = 0; // in updates
    bool alike = true;
  };
  std::map<std::string, Within> containers;
  walk(statement_->node, [&](const Stmt &s) {
    const std::optional<Updated> updated = updatedBy(&s);
    if (!updated || nest_.variables[updated->variable].rank == 0) return WalkResult::Advance;
    const std::string &name = nest_.variables[updated->variable].name;
    Within &within = containers.try_emplace(name, Within{*updated}).first->second;
    within.mentioned += valueMentionsOf(&s, name);
    within.alike &= within.updated.op == updated->op;
    return WalkResult::Skip;
  });
  for (const auto &[name, within] : containers) {
    const bool viewed =
        std::any_of(views_.begin(), views_.end(), [&, number = within.updated.variable](const auto &view) {
          const std::vector<unsigned> &roots = view.second.roots;
          return std::find(roots.begin(), roots.end(), number) != roots.end();
        });
    if (viewed || !within.alike || within.mentioned != valueMentionsOf(statement_->node, name)) continue;
    for (Access &a : accesses)
      if (a.variable == within.updated.variable) a.update = within.updated.op;
  }
}

namespace {

/// An atomic operation whose result nobody uses, as an update.
std::optional<Update> atomicUpdate(const Stmt *s) {
  const auto *evaluate = dyn<Evaluate>(s);
  const auto *atomic = evaluate ? dyn<Atomic>(evaluate->expr) : nullptr;
  const std::optional<ReductionOp> op = atomic ? reductionOp(atomic->op) : std::nullopt;
  const VarRef *root = op ? rootVariable(atomic->target) : nullptr;
  const auto reads = [&](const Expr *e) { return mentionsValue(e, root->name); };
  if (!root || std::any_of(atomic->operands.begin(), atomic->operands.end(), reads)) return std::nullopt;
  return Update{atomic->target, *op};
}

} // namespace

std::optional<Accesses::Updated> Accesses::updatedBy(const Stmt *s) {
  std::optional<Update> update = atomicUpdate(s);
  if (!update) update = updateOf(s, module_);
  const VarRef *root = update ? rootVariable(update->target) : nullptr;
  if (!root || own_.count(root->name)) return std::nullopt;
  const Place p = place(update->target);
  if (p.roots.size() != 1) return std::nullopt;
  for (const Expr *e = update->target; !isa<VarRef>(e);) { // an index that reads what is updated
    bool reads = false;
    if (const auto *element = dyn<Subscript>(e)) {
      for (const Expr *i : element->indices) reads |= mentionsValue(i, root->name);
      e = element->base;
    } else {
      e = as<Member>(e)->base;
    }
    if (reads) return std::nullopt;
  }
  return Updated{p.roots[0], update->op};
}

void Accesses::selection() {
  const std::optional<Selection> found = selectionOf(statement_->node);
  if (!found) return;
  auto scalar = [&](const VarRef *v) -> std::optional<unsigned> {
    if (own_.count(v->name) || views_.count(v->name)) return std::nullopt;
    const unsigned number = variable(*v);
    return nest_.variables[number].rank == 0 ? std::optional(number) : std::nullopt;
  };
  SelectedScalars scalars{0, {}, found->compare};
  const std::optional<unsigned> value = scalar(found->value);
  if (!value) return;
  scalars.value = *value;
  for (const VarRef *v : found->followers) {
    const std::optional<unsigned> follower = scalar(v);
    if (!follower) return;
    scalars.followers.push_back(*follower);
  }
  std::sort(scalars.followers.begin(), scalars.followers.end());
  auto known = std::find(nest_.selections.begin(), nest_.selections.end(), scalars);
  const auto number = static_cast<unsigned>(known - nest_.selections.begin());
  if (known == nest_.selections.end()) nest_.selections.push_back(scalars);
  for (Access &a : statement_->accesses)
    if (a.variable == scalars.value ||
        std::binary_search(scalars.followers.begin(), scalars.followers.end(), a.variable))
      a.selection = number;
}

void Accesses::collect(Statement &statement, unsigned number) {
  statement_ = &statement;
  number_ = number;
  certain_ = true;
  own_.clear();
  if (const auto *d = dyn<Declare>(statement.node)) {
    node(d);
    if (d->init && (!d->type.isArray() || !views_.count(d->name))) {
      auto it = variables_.find(d->name);
      if (it != variables_.end()) {
        const Variable &v = nest_.variables[it->second];
        Access a;
        a.variable = it->second;
        a.statement = number;
        a.kind = AccessKind::Write;
        a.node = d;
        a.exact = statement.exact && v.rank == 0;
        std::vector<Index> all;
        for (unsigned loop : v.scope) all.emplace_back(affine_.parameter(nest_.loops[loop].id));
        all.resize(all.size() + v.rank);
        if (v.rank == 0) a.index.emplace();
        a.elements = elementsOf(nest_.isl.get(), v.name, all, statement.domain);
        statement.accesses.push_back(std::move(a));
      }
    }
    return;
  }
  walk(statement.node, [&](const Declare &d) {
    own_.insert(d.name);
    // A view that is made here may be of what is outside.
    if (d.type.isArray() && d.init) {
      View v = viewOf(d.init);
      if (!v.roots.empty()) {
        own_.erase(d.name);
        v.prefix.assign(kMostDimensions, std::nullopt);
        views_[d.name] = std::move(v);
      }
    }
  });
  node(statement.node);
  updates();
  selection();
}

void Accesses::control(Statement &statement, unsigned number, const Expr *e, unsigned depth) {
  statement_ = &statement;
  number_ = number;
  certain_ = true;
  own_.clear();
  const std::size_t before = statement.accesses.size();
  expr(e);
  for (std::size_t i = before; i < statement.accesses.size(); ++i) statement.accesses[i].controls = depth;
}

} // namespace tangram::nest
