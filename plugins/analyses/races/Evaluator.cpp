#include "Evaluator.h"

#include "tangram/ast/Builtins.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace tangram::races {

using namespace ast;

namespace {

constexpr unsigned kDeepestCall = 8;
constexpr unsigned kMostAccesses = 8; // of one place, by different ways
constexpr unsigned kMostReads = 4;    // of one container by what a codelet calls: reads matter only beside a write

bool isNumber(const Type &t) { return t.isInteger() && !t.isBool(); }
bool isNatural(const Type &t) { return t.isInteger() && !t.isSigned(); }

/// The indices of a chain of subscripts and the fields on the way; the variable at its root, or null.
const VarRef *chain(const Expr *e, std::vector<const Expr *> &indices, std::vector<std::string> &fields) {
  for (;;) {
    if (const auto *member = dyn<Member>(e)) {
      fields.insert(fields.begin(), member->field);
      e = member->base;
    } else if (const auto *subscript = dyn<Subscript>(e)) {
      indices.insert(indices.begin(), subscript->indices.begin(), subscript->indices.end());
      e = subscript->base;
    } else {
      return dyn<VarRef>(e);
    }
  }
}

bool leaves(const Block *b) {
  return !b->stmts.empty() &&
         (isa<Return>(b->stmts.back()) || isa<Continue>(b->stmts.back()) || isa<Break>(b->stmts.back()));
}

const Expr *withoutCasts(const Expr *e) {
  while (const auto *cast = dyn<Cast>(e)) e = cast->operand;
  return e;
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

namespace {

/// What a codelet knows of a parameter that is a range: its first number, and by how much more than one they grow.
struct RangeSymbols {
  Polynomial first, more;
};
RangeSymbols rangeSymbols(Symbols &symbols, const Param &param) {
  return {symbols.scalar(param.name + "[0]", isNatural(param.type.element())),
          symbols.scalar(param.name + "[1] - " + param.name + "[0] - 1", true)};
}

/// Whether a symbol is made of another one.
bool restsOn(const Symbols &symbols, const Polynomial &p, SymbolId id) {
  std::vector<SymbolId> all = p.symbols();
  return std::any_of(all.begin(), all.end(), [&](SymbolId each) {
    const Symbol &s = symbols[each];
    return each == id || restsOn(symbols, s.a, id) || restsOn(symbols, s.b, id) ||
           (s.lo && restsOn(symbols, *s.lo, id)) || (s.hi && restsOn(symbols, *s.hi, id));
  });
}

/// first + step * index; nothing for what depends on the index in another way.
std::optional<Polynomial::Split> affine(Symbols &symbols, const std::optional<Polynomial> &fill) {
  SymbolId index = *symbols.index().single();
  std::optional<Polynomial::Split> split = fill ? fill->split(index) : std::nullopt;
  if (!split || restsOn(symbols, split->coefficient, index) || restsOn(symbols, split->rest, index)) return {};
  return split;
}

} // namespace

std::optional<unsigned> mappedDims(const Type &arg, const Type &param) {
  if (arg == param) return 0;
  if (!arg.isArray()) return 0;
  if (arg.element() == param || (arg.element().isScalar() && param.isScalar())) return arg.rank();
  if (param.isArray() && param.element() == arg.element() && param.rank() < arg.rank())
    return arg.rank() - param.rank();
  return {};
}

struct Evaluator::Located {
  std::vector<Polynomial> index, facts;
  std::optional<Between> between;
  std::optional<std::pair<Polynomial, Polynomial>> whole;
};

Evaluator::Evaluator(const Module &module, const Spectrum &spectrum, const Codelet &codelet, const Summaries &summaries,
                     Symbols &symbols)
    : module_(module), spectrum_(spectrum), codelet_(codelet), summaries_(summaries), symbols_(symbols) {}

CodeletSummary Evaluator::run() {
  auto own = summaries_.find(spectrum_.name);
  const std::set<unsigned> ranges = own == summaries_.end() ? std::set<unsigned>() : own->second.ranges;
  for (const Param *const &p : codelet_.params) {
    if (p->type.isArray()) {
      parameters_.insert(p->name);
      Root root;
      for (unsigned d = 0; d < p->type.rank(); ++d) root.extents.push_back(symbols_.size(p->name, d));
      if (ranges.count(static_cast<unsigned>(&p - codelet_.params.data()))) {
        RangeSymbols of = rangeSymbols(symbols_, *p);
        root = range(root.extents[0], of.first, of.more + Polynomial(1));
      }
      roots_[p->name] = root;
      views_[p->name] = {p->name, {}, {}, {}};
    } else if (isNumber(p->type)) {
      values_[p->name] = symbols_.scalar(p->name, isNatural(p->type));
    }
  }
  block(codelet_.body);
  // What is filled at the end, by a codelet that does nothing else to it.
  for (const auto &[name, root] : roots_)
    if (root.fill && !root.isRange && parameters_.count(name)) summary_.fills[name] = *root.fill;
  return std::move(summary_);
}

const Spectrum *Evaluator::find(const std::string &spectrum) const {
  for (const Spectrum *s : module_.spectrums)
    if (s->name == spectrum) return s;
  return nullptr;
}

// ---- statements ------------------------------------------------------------------------------------------

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
  switch (s->kind()) {
  case Kind::Block: return block(as<Block>(s));
  case Kind::Declare: return declare(as<Declare>(s));
  case Kind::Evaluate: return effects(as<Evaluate>(s)->expr);
  case Kind::Return: return effects(as<Return>(s)->value);
  case Kind::For: return forLoop(as<For>(s));
  case Kind::If: {
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
  case Kind::While:
    loopBody(s, [&] {
      effects(as<While>(s)->cond);
      assume(as<While>(s)->cond, true);
      block(as<While>(s)->body);
    });
    return;
  case Kind::DoWhile:
    loopBody(s, [&] {
      block(as<DoWhile>(s)->body);
      effects(as<DoWhile>(s)->cond);
    });
    return;
  case Kind::Switch:
    effects(as<Switch>(s)->value);
    for (const Case *c : as<Switch>(s)->cases) conditionally(c->body, true, [&] { block(c->body); });
    return;
  default: return;
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

// ---- what expressions do ---------------------------------------------------------------------------------

void Evaluator::effects(const Expr *e) {
  if (!e) return;
  switch (e->kind()) {
  case Kind::Assign: {
    const Assign *n = as<Assign>(e);
    if (n->target->type.isArray() && isa<Map>(n->value)) {
      effects(n->target);
      return site(n->value, view(n->target));
    }
    effects(n->value);
    if (const auto *v = dyn<VarRef>(n->target); v && !v->type.isArray()) {
      if (!isNumber(v->type)) return;
      Polynomial now = value(n->value);
      Polynomial &known = values_[v->name];
      switch (n->op) {
      case AssignOp::Set: known = now; break;
      case AssignOp::Add: known = known + now; break;
      case AssignOp::Sub: known = known - now; break;
      case AssignOp::Mul: known = known * now; break;
      default: known = symbols_.any(); break;
      }
      return;
    }
    return place(n->target, n->op != AssignOp::Set, true, false);
  }
  case Kind::Atomic:
    for (const Expr *operand : as<Atomic>(e)->operands) effects(operand);
    return place(as<Atomic>(e)->target, true, true, true);
  case Kind::Unary: {
    const Unary *n = as<Unary>(e);
    bool writes =
        n->op == UnaryOp::PreInc || n->op == UnaryOp::PreDec || n->op == UnaryOp::PostInc || n->op == UnaryOp::PostDec;
    if (!writes) return effects(n->operand);
    if (const auto *v = dyn<VarRef>(n->operand)) return forget({v->name});
    return place(n->operand, true, true, false);
  }
  case Kind::Conditional: {
    const Conditional *n = as<Conditional>(e);
    effects(n->cond);
    bool conditional = !sameInAllCalls(n->cond);
    conditionally(n->then, conditional, [&] {
      assume(n->cond, true);
      effects(n->then);
    });
    conditionally(n->otherwise, conditional, [&] {
      assume(n->cond, false);
      effects(n->otherwise);
    });
    return;
  }
  case Kind::Binary: {
    const Binary *n = as<Binary>(e);
    effects(n->lhs);
    if (n->op != BinaryOp::LogicalAnd && n->op != BinaryOp::LogicalOr) return effects(n->rhs);
    conditionally(n->rhs, !sameInAllCalls(n->lhs), [&] {
      assume(n->lhs, n->op == BinaryOp::LogicalAnd);
      effects(n->rhs);
    });
    return;
  }
  case Kind::Subscript:
  case Kind::Member: return place(e, true, false, false);
  case Kind::Map:
  case Kind::SpectrumCall: return site(e, {});
  case Kind::Size:
  case Kind::Pitch: return;
  default:
    for (const Node *child : children(*e))
      if (isa<Expr>(child)) effects(static_cast<const Expr *>(child));
  }
}

void Evaluator::place(const Expr *target, bool reads, bool writes, bool atomic) {
  std::vector<const Expr *> indices;
  std::vector<std::string> fields;
  const VarRef *root = chain(target, indices, fields);
  for (const Expr *index : indices) effects(index);
  if (!root) { // a field of what a call gives
    for (const Node *child : children(*target))
      if (isa<Expr>(child)) effects(static_cast<const Expr *>(child));
    return;
  }
  auto known = views_.find(root->name);
  if (known == views_.end() || target->type.isArray()) {
    if (writes && root->type.isInteger()) forget({root->name});
    return;
  }
  const View &v = known->second;
  if (auto it = roots_.find(v.root); it != roots_.end() && writes) it->second.changed();
  Access access;
  access.container = v.root;
  access.kind = atomic ? Access::Kind::Atomic : writes ? Access::Kind::Write : Access::Kind::Read;
  access.fields = std::move(fields);
  for (const Expr *index : indices) access.index.push_back(value(index));
  if (!v.prefix.empty() || !v.cuts.empty()) {
    std::vector<Polynomial> local;
    for (std::size_t i = 0; i < access.index.size(); ++i) local.push_back(symbols_.any());
    access.index = local;
    auto it = roots_.find(v.root);
    access.index.assign(it == roots_.end() ? 0 : it->second.extents.size(), Polynomial());
    for (Polynomial &p : access.index) p = symbols_.any();
    for (std::size_t i = 0; i < v.prefix.size() && i < access.index.size(); ++i) access.index[i] = v.prefix[i];
  }
  access.facts = facts_;
  access.zeros = zeros_;
  access.conditional = conditional_;
  access.spectrum = &spectrum_;
  access.codelet = &codelet_;
  access.name = root->name;
  access.place = target->range;
  (void)reads; // of what is written, too: the write says all that matters
  add(std::move(access));
}

void Evaluator::add(Access access) {
  if (!parameters_.count(access.container)) return;
  bool inherits = access.codelet != &codelet_ && access.kind == Access::Kind::Read;
  std::tuple<std::string, Access::Kind, unsigned, unsigned> where{access.container, access.kind, 0, 0};
  if (!inherits) where = {access.container, access.kind, access.place.line, access.place.column};
  unsigned &n = places_[where];
  const unsigned most = inherits ? kMostReads : kMostAccesses;
  if (++n > most) return; // the last one that was added stands for all
  if (n == most || access.widened) {
    for (Polynomial &p : access.index) p = symbols_.any();
    access.facts.clear();
    access.zeros.clear();
    access.conditional = true;
    if (access.widened) n = most;
  }
  summary_.accesses.push_back(std::move(access));
}

void Evaluator::inherit(const Site &site, std::size_t codelet) {
  const std::vector<const Param *> &params = site.callee->codelets[codelet]->params;
  for (const Access &access : summaries_.find(site.callee->name)->second.codelets[codelet].accesses)
    for (std::size_t i = 0; i < site.arguments.size(); ++i) {
      const std::string &root = site.arguments[i].view.root;
      if (params[i]->name != access.container || root.empty()) continue;
      auto mine = roots_.find(root);
      if (access.kind != Access::Kind::Read && mine != roots_.end()) mine->second.changed();
      if (!parameters_.count(root)) continue;
      if (access.kind == Access::Kind::Read && !readsInherited_.insert(root).second) continue;
      Access own = access;
      own.container = root;
      own.index.assign(mine->second.extents.size(), Polynomial());
      own.widened = true;
      add(std::move(own));
    }
}

void Evaluator::site(const Expr *node, const std::optional<View> &result) {
  const auto *map = dyn<Map>(node);
  const std::vector<const Expr *> &args = map ? map->args : as<SpectrumCall>(node)->args;
  for (const Expr *arg : args) effects(arg);
  Site s;
  s.node = node;
  s.isMap = map != nullptr;
  s.callee = find(map ? map->spectrum : as<SpectrumCall>(node)->spectrum);
  auto known = s.callee ? summaries_.find(s.callee->name) : summaries_.end();
  if (known == summaries_.end()) return;
  for (std::size_t i = 0; i < args.size() && i < s.callee->params.size(); ++i) {
    MapArgument a;
    a.param = s.callee->params[i];
    a.isArray = args[i]->type.isArray();
    if (a.isArray) {
      a.view = view(args[i]);
      a.rank = args[i]->type.rank();
      a.dims = s.isMap ? mappedDims(args[i]->type, a.param->type).value_or(0) : 0;
      auto root = roots_.find(a.view.root);
      if (root != roots_.end() && a.view.prefix.empty() && a.view.cuts.empty()) a.element = root->second.fill;
      if (a.dims > 0 && s.counts.empty()) {
        if (a.view.cuts.size() > a.view.parts.size())
          for (std::size_t d = a.view.parts.size(); d < a.view.cuts.size(); ++d)
            s.counts.push_back(a.view.cuts[d].count);
        else
          s.counts = extents(a.view, a.rank);
        s.counts.resize(a.dims, Polynomial::unknown());
      }
    } else {
      a.value = isNumber(args[i]->type) ? value(args[i]) : symbols_.any();
    }
    s.arguments.push_back(std::move(a));
  }
  s.result = result;
  s.conditional = conditional_;
  s.facts = facts_;
  visited(s);

  // What it does is done by this codelet, as far as its callers can see.
  const SpectrumSummary &callee = known->second;
  bool recursive = callee.together.count(spectrum_.name) != 0;
  std::map<std::string, std::optional<Polynomial>> filled;
  static const CodeletSummary kNothing;
  for (std::size_t c = 0; c < callee.codelets.size(); ++c) {
    if (!s.callee->codelets[c]->from.empty()) continue; // it touches what the one does that it was made of
    if (recursive) {                                    // of which no index is known, but of what the map itself does
      inherit(s, c);
      if (c > 0) continue;
    }
    std::vector<Polynomial> which = keys(s);
    for (Touch &t : touches(s, recursive ? kNothing : callee.codelets[c], which)) {
      if (t.access && t.kind != Access::Kind::Read)
        if (auto it = roots_.find(t.root); it != roots_.end()) it->second.changed();
      Access access;
      if (t.access) access = *t.access;
      access.container = t.root;
      access.kind = t.kind;
      access.index = std::move(t.index);
      access.facts = std::move(t.facts);
      access.zeros = std::move(t.zeros);
      access.zeros.insert(access.zeros.end(), zeros_.begin(), zeros_.end());
      access.fields = std::move(t.fields);
      access.conditional = t.conditional || conditional_;
      if (!t.access) {
        access.spectrum = &spectrum_;
        access.codelet = &codelet_;
        access.name = t.root;
        access.place = node->range;
      }
      add(std::move(access));
    }
    // What all codelets fill alike.
    for (std::size_t i = 0; i < s.arguments.size() && !s.isMap; ++i) {
      const MapArgument &a = s.arguments[i];
      if (!a.isArray || !a.view.prefix.empty() || !a.view.cuts.empty()) continue;
      const Codelet *own = s.callee->codelets[c];
      auto fill = callee.codelets[c].fills.find(own->params[i]->name);
      std::optional<Polynomial> now;
      if (fill != callee.codelets[c].fills.end() && fill->second == symbols_.index()) now = fill->second;
      auto [it, fresh] = filled.emplace(a.view.root, now);
      if (!fresh && (!now || !it->second || !(*now == *it->second))) it->second.reset();
    }
  }
  if (!conditional_ && !inLoop_)
    for (const auto &[root, fill] : filled)
      if (auto it = roots_.find(root); fill && it != roots_.end()) it->second.fill = fill;
}

// ---- values ----------------------------------------------------------------------------------------------

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
  switch (e->kind()) {
  case Kind::IntLit: return as<IntLit>(e)->value;
  case Kind::VarRef:
    if (auto it = values_.find(as<VarRef>(e)->name); it != values_.end()) return it->second;
    return fresh(e->type);
  case Kind::Cast: {
    const Expr *operand = as<Cast>(e)->operand;
    bool keeps = isNumber(operand->type) && (e->type.bytes() >= 4 || e->type.bytes() >= operand->type.bytes());
    return keeps ? narrowed(value(operand), e->type, operand->type.bytes()) : fresh(e->type);
  }
  case Kind::CoopDim: return symbols_.lanes();
  case Kind::CoopIdx: {
    auto [it, isNew] = values_.try_emplace("coopIdx()");
    if (isNew) it->second = symbols_.lane();
    return it->second;
  }
  case Kind::Size: {
    const Size *s = as<Size>(e);
    View v = view(s->container);
    unsigned rank = s->container->type.rank();
    if (!s->dim) return elements(v, rank);
    std::optional<std::int64_t> d = value(s->dim).constant();
    std::vector<Polynomial> all = extents(v, rank);
    return d && *d >= 0 && static_cast<std::size_t>(*d) < all.size() ? all[*d] : symbols_.any(Polynomial(0), {}, true);
  }
  case Kind::Unary: {
    const Unary *n = as<Unary>(e);
    if (n->op == UnaryOp::Plus) return value(n->operand);
    if (n->op == UnaryOp::Minus) return Polynomial(0) - value(n->operand);
    return fresh(e->type);
  }
  case Kind::Binary: {
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
  case Kind::Conditional: return hasEffects(e) ? fresh(e->type) : choice(as<Conditional>(e));
  case Kind::Subscript: return element(as<Subscript>(e));
  case Kind::Call: {
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
  default: return fresh(e->type);
  }
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

// ---- containers ------------------------------------------------------------------------------------------

View Evaluator::view(const Expr *e) {
  if (const auto *v = dyn<VarRef>(e))
    if (auto it = views_.find(v->name); it != views_.end()) return it->second;
  if (const auto *p = dyn<Partition>(e)) {
    View base = view(p->container);
    if (!base.cuts.empty()) return {};
    for (std::size_t d = 0; d < p->counts.size(); ++d)
      base.cuts.push_back({value(p->counts[d]), sequence(p->starts[d]), sequence(p->incs[d]), sequence(p->ends[d])});
    return base;
  }
  if (const auto *s = dyn<Subscript>(e)) {
    View base = view(s->base);
    for (const Expr *index : s->indices) {
      if (base.parts.size() < base.cuts.size())
        base.parts.push_back(value(index));
      else if (base.cuts.empty())
        base.prefix.push_back(value(index));
      else
        return {};
    }
    return base;
  }
  if (const auto *s = dyn<Sequence>(e); s && !s->container && s->inc && s->end) {
    std::string name = fmt::format("range {}", roots_.size()); // which is no name of a variable
    Polynomial first = value(s->start), step = value(s->inc);
    if (first.isUnknown()) first = fresh(s->type.element());
    std::optional<std::int64_t> by = step.constant();
    if (by && *by == 0) step = Polynomial(1);
    Polynomial extent = step == Polynomial(1) ? value(s->end) - first : Polynomial::unknown();
    // Where it ends before it begins there is nothing in it.
    if (!first.isZero() || !isNatural(s->type.element())) extent = symbols_.any(Polynomial(0), extent, true, true);
    roots_[name] = range(std::move(extent), first, step);
    return {name, {}, {}, {}};
  }
  return {};
}

Evaluator::Root Evaluator::range(Polynomial extent, const Polynomial &first, const Polynomial &step) {
  Root root;
  root.extents = {extent.isUnknown() ? symbols_.any(Polynomial(0), {}, true, true) : std::move(extent)};
  if (Polynomial fill = first + step * symbols_.index(); !fill.isUnknown()) root.fill = fill;
  root.isRange = true;
  return root;
}

Polynomial Evaluator::element(const Subscript *e) {
  std::vector<const Expr *> indices;
  std::vector<std::string> fields;
  const VarRef *variable = chain(e, indices, fields);
  auto known = variable ? views_.find(variable->name) : views_.end();
  if (known == views_.end() || !fields.empty() || e->type.isArray()) return fresh(e->type);
  View v = known->second;
  auto root = roots_.find(v.root);
  std::optional<Polynomial::Split> fill = root == roots_.end() ? std::nullopt : affine(symbols_, root->second.fill);
  if (!fill || !v.prefix.empty() || v.cuts.size() > 1) return fresh(e->type);
  auto next = indices.begin();
  while (next != indices.end() && v.parts.size() < v.cuts.size()) v.parts.push_back(value(*next++));
  if (indices.end() - next != 1) return fresh(e->type);
  Located at = locate(v, {}, {value(*next)}, {true});
  Polynomial result = fill->rest + fill->coefficient * at.index[0];
  if (result.isUnknown()) return fresh(e->type);
  return result;
}

void Evaluator::passRange(const Param &param, const View &view, const std::vector<Polynomial> &keys, Substitution &in) {
  RangeSymbols mine = rangeSymbols(symbols_, param);
  Polynomial first = fresh(param.type.element()), more = symbols_.any(Polynomial(0), {}, true);
  Polynomial &size = in.replaced[*symbols_.size(param.name, 0).single()];
  auto root = roots_.find(view.root);
  std::optional<Polynomial::Split> fill = root == roots_.end() ? std::nullopt : affine(symbols_, root->second.fill);
  if (fill && view.cuts.size() <= 1) {
    Located at = locate(view, keys, {Polynomial(0)}, {true});
    Polynomial begin = fill->rest + fill->coefficient * at.index[0], step = fill->coefficient;
    if (!view.cuts.empty()) {
      const Cut &cut = view.cuts[0];
      bool fixed = cut.inc.container.empty() && cut.inc.inc.isZero() && !cut.inc.start.isUnknown();
      step = fixed ? step * cut.inc.start : Polynomial::unknown();
      Polynomial part = !view.parts.empty() ? view.parts[0] : keys.empty() ? Polynomial::unknown() : keys[0];
      Polynomial length = cut.end.start + cut.end.inc * part - at.index[0];
      if (fixed && cut.inc.start == Polynomial(1) && cut.end.container.empty() && !length.isUnknown())
        size = symbols_.any(Polynomial(0), length, true);
    }
    if (!begin.isUnknown()) first = begin;
    if (!step.isUnknown()) more = step - Polynomial(1);
  }
  in.replaced[*mine.first.single()] = first;
  in.replaced[*mine.more.single()] = more;
}

SequenceValue Evaluator::sequence(const Sequence *s) {
  SequenceValue result;
  if (s->container) {
    View v = view(s->container);
    result.container = v.prefix.empty() && v.cuts.empty() && !v.root.empty() ? v.root : "?";
  }
  result.start = value(s->start);
  if (s->inc) result.inc = value(s->inc);
  if (s->end) result.end = value(s->end);
  return result;
}

std::vector<Polynomial> Evaluator::extents(const View &v, unsigned rank) {
  std::vector<Polynomial> result;
  auto root = roots_.find(v.root);
  std::size_t behind = v.prefix.size() + v.cuts.size();
  if (v.parts.size() == v.cuts.size())
    for (std::size_t d = 0; d < v.cuts.size(); ++d) result.push_back(symbols_.any(Polynomial(0), {}, true));
  else
    for (std::size_t d = v.parts.size(); d < v.cuts.size(); ++d) result.push_back(v.cuts[d].count);
  if (root != roots_.end() && v.parts.size() == v.cuts.size())
    for (std::size_t d = behind; d < root->second.extents.size(); ++d) result.push_back(root->second.extents[d]);
  while (result.size() < rank) result.push_back(symbols_.any(Polynomial(0), {}, true));
  result.resize(rank);
  return result;
}

Polynomial Evaluator::elements(const View &v, unsigned rank) {
  Polynomial product(1);
  for (const Polynomial &extent : extents(v, rank)) product = product * extent;
  return product.isUnknown() ? symbols_.any(Polynomial(0), {}, true) : product;
}

// ---- what a call touches ---------------------------------------------------------------------------------

std::vector<Polynomial> Evaluator::keys(const Site &site) {
  std::vector<Polynomial> result;
  for (const Polynomial &count : site.counts)
    result.push_back(
        symbols_.any(Polynomial(0), count.isUnknown() ? std::optional<Polynomial>() : count - Polynomial(1), true));
  return result;
}

/// `exact`: of inner indices, which say more than that they lie within the part.
Evaluator::Located Evaluator::locate(const View &v, const std::vector<Polynomial> &keys, std::vector<Polynomial> inner,
                                     const std::vector<bool> &exact) {
  Located result;
  result.index = v.prefix;
  std::size_t next = 0;
  auto root = roots_.find(v.root);
  for (std::size_t d = 0; d < v.cuts.size(); ++d) {
    const Cut &cut = v.cuts[d];
    Polynomial part = d < v.parts.size() ? v.parts[d] : next < keys.size() ? keys[next++] : symbols_.any();
    std::size_t dim = result.index.size();
    std::optional<Polynomial> size;
    if (root != roots_.end() && dim < root->second.extents.size()) size = root->second.extents[dim];
    bool affine = cut.start.container.empty() && cut.end.container.empty() && cut.inc.container.empty() &&
                  cut.inc.inc.isZero() && !cut.inc.start.isUnknown();
    Polynomial end = cut.end.start + cut.end.inc * part;
    Bounds known(symbols_, symbols_.mark(), facts_);
    auto never = [&](const Polynomial &p) { return known.natural(p); };
    if (affine && cut.start.end) {
      // Where the start is cut short, there must be nothing in the part.
      const Polynomial &limit = *cut.start.end;
      affine =
          (!cut.count.isUnknown() && never(limit - cut.start.start - cut.start.inc * (cut.count - Polynomial(1)))) ||
          (size && never(limit - *size)) || (cut.end.end && never(limit - *cut.end.end)) ||
          (!cut.end.end && cut.end.inc.isZero() && never(limit - cut.end.start));
    }
    if (!affine || end.isUnknown()) {
      result.index.push_back(symbols_.any({}, {}, true));
      const SequenceValue &from = cut.start, &to = cut.end;
      if (v.cuts.size() == 1 && !from.container.empty() && from.container == to.container && from.container != "?") {
        Between b{from.container, from.start + from.inc * part, to.start + to.inc * part, false};
        Polynomial last = from.start + from.inc * cut.count;
        b.ordered =
            !from.end || (!cut.count.isUnknown() && never(*from.end - last)) || (to.end && never(*from.end - *to.end));
        result.between = b;
      }
      continue;
    }
    Polynomial start = cut.start.start + cut.start.inc * part, inc = cut.inc.start;
    if (d < inner.size() && exact[d]) {
      Polynomial at = start + inc * inner[d];
      result.index.push_back(at);
      result.facts.push_back(end - at - Polynomial(1));
      continue;
    }
    if (inc == Polynomial(1)) {
      result.index.push_back(start + symbols_.any(Polynomial(0), end - start - Polynomial(1), true));
    } else {
      Polynomial at = start + inc * symbols_.any(Polynomial(0), {}, true);
      result.index.push_back(at);
      result.facts.push_back(end - at - Polynomial(1));
    }
    if (v.cuts.size() == 1 && inc == Polynomial(1)) result.whole = {start, end};
  }
  if (v.cuts.empty())
    for (const Polynomial &key : keys) result.index.push_back(key);
  for (std::size_t d = v.cuts.size(); d < inner.size(); ++d) result.index.push_back(inner[d]);
  return result;
}

std::vector<Touch> Evaluator::touches(const Site &site, const CodeletSummary &summary,
                                      const std::vector<Polynomial> &keys) {
  std::vector<Touch> result;
  std::size_t codelet = 0;
  auto known = summaries_.find(site.callee->name);
  for (std::size_t c = 0; c < known->second.codelets.size(); ++c)
    if (&known->second.codelets[c] == &summary) codelet = c;
  const std::vector<const Param *> &params = site.callee->codelets[codelet]->params;

  Substitution in(symbols_);
  std::map<std::string, unsigned> arguments;
  for (unsigned i = 0; i < site.arguments.size() && i < params.size(); ++i) {
    const MapArgument &a = site.arguments[i];
    const Param &p = *params[i];
    arguments[p.name] = i;
    if (!p.type.isArray()) {
      if (!isNumber(p.type)) continue;
      Polynomial scalar = a.value;
      if (a.isArray) {
        scalar = symbols_.any({}, {}, isNatural(p.type));
        std::optional<Polynomial::Split> numbers = affine(symbols_, a.element);
        if (numbers && keys.size() == 1) {
          scalar = numbers->rest + numbers->coefficient * keys[0];
        } else if (a.element && keys.size() == 1) {
          Substitution at(symbols_);
          at.replaced[*symbols_.index().single()] = keys[0];
          scalar = at(*a.element);
        }
      }
      if (scalar.isUnknown()) scalar = symbols_.any();
      in.replaced[*symbols_.scalar(p.name, isNatural(p.type)).single()] = scalar;
    } else {
      View one = a.view;
      std::vector<Polynomial> sizes;
      if (one.cuts.empty()) {
        sizes = extents(one, a.rank);
        sizes.erase(sizes.begin(), sizes.begin() + std::min<std::size_t>(a.dims, sizes.size()));
      } else {
        one.parts.resize(one.cuts.size());
        sizes = extents(one, p.type.rank());
      }
      for (unsigned d = 0; d < p.type.rank(); ++d)
        in.replaced[*symbols_.size(p.name, d).single()] =
            d < sizes.size() && !sizes[d].isUnknown() ? sizes[d] : symbols_.any(Polynomial(0), {}, true);
      if (known->second.ranges.count(i)) {
        std::vector<Polynomial> which(keys.begin(),
                                      keys.begin() + (a.dims ? std::min<std::size_t>(keys.size(), a.dims) : 0));
        passRange(p, a.view, which, in);
      }
    }
  }
  auto conclude = [&](Touch t, const std::vector<Polynomial> &more) {
    t.facts.insert(t.facts.end(), site.facts.begin(), site.facts.end());
    t.facts.insert(t.facts.end(), more.begin(), more.end());
    result.push_back(std::move(t));
  };
  std::vector<Polynomial> range;
  for (std::size_t d = 0; d < keys.size(); ++d)
    if (!site.counts[d].isUnknown()) range.push_back(site.counts[d] - Polynomial(1) - keys[d]);

  for (const Access &access : summary.accesses) {
    auto argument = arguments.find(access.container);
    if (argument == arguments.end()) continue;
    const MapArgument &a = site.arguments[argument->second];
    if (!a.isArray || a.view.root.empty()) continue;
    std::vector<Polynomial> inner;
    std::vector<bool> exact;
    bool all = true; // of the part
    for (const Polynomial &p : access.index) {
      Polynomial mine = in(p);
      // Of an index within the part only one that is the same wherever the part lies says more than the part does.
      std::vector<SymbolId> of = mine.symbols();
      exact.push_back(!mine.isUnknown() && std::all_of(of.begin(), of.end(), [&](SymbolId id) {
        return symbols_[id].kind == Symbol::Kind::Scalar || symbols_[id].kind == Symbol::Kind::Lanes;
      }));
      inner.push_back(mine.isUnknown() ? symbols_.any() : mine);
      std::optional<SymbolId> one = p.single();
      const Symbol *s = one ? &symbols_[*one] : nullptr;
      std::optional<SymbolId> size =
          s && s->kind == Symbol::Kind::Any && s->hi ? (*s->hi + Polynomial(1)).single() : std::nullopt;
      all &= s && s->lo && s->lo->isZero() && size && symbols_[*size].kind == Symbol::Kind::Size;
    }
    std::vector<Polynomial> own(keys.begin(), keys.begin() + (a.dims ? std::min<std::size_t>(keys.size(), a.dims) : 0));
    Located at = locate(a.view, own, std::move(inner), exact);
    Touch t;
    t.access = &access;
    t.kind = access.kind;
    t.argument = argument->second;
    t.root = a.view.root;
    t.index = std::move(at.index);
    t.fields = access.fields;
    t.conditional = access.conditional || access.widened;
    t.between = at.between;
    if (all && at.whole) t.whole = at.whole;
    for (const Polynomial &fact : access.facts) t.facts.push_back(in(fact));
    for (const Polynomial &zero : access.zeros) t.zeros.push_back(in(zero));
    t.facts.insert(t.facts.end(), at.facts.begin(), at.facts.end());
    conclude(std::move(t), range);
  }
  // Elements that calls are given, and where their results go.
  for (unsigned i = 0; i < site.arguments.size(); ++i) {
    const MapArgument &a = site.arguments[i];
    if (!site.isMap || !a.isArray || a.param->type.isArray() || a.view.root.empty()) continue;
    Touch t;
    t.argument = i;
    t.root = a.view.root;
    t.index = locate(a.view, keys, {}, {}).index;
    conclude(std::move(t), range);
  }
  if (site.isMap && site.result && !site.result->root.empty()) {
    Touch t;
    t.kind = Access::Kind::Write;
    t.root = site.result->root;
    t.index = locate(*site.result, keys, {}, {}).index;
    conclude(std::move(t), range);
  }
  return result;
}

} // namespace tangram::races
