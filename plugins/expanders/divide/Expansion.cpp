#include "Expansion.h"
#include "Captures.h"
#include "Extents.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Casts.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Range.h"

#include <algorithm>
#include <map>

namespace tangram::divide {

using namespace ast;

namespace {

/// Asks whether a container of such extents has at most so many elements.
class Memory {
public:
  Memory(const Codelet &codelet, std::int64_t most, const Build &build)
      : codelet_(codelet), most_(most), build_(build) {}

  /// False where that cannot be asked; `conditions` are under which it is so, none where the codelet is given a
  /// container that is as large.
  bool holds(const std::vector<const Expr *> &extents, std::vector<const Expr *> &conditions) const {
    std::vector<std::optional<GivenExtent>> given;
    std::vector<const Expr *> sizes;
    const Expr *none = nullptr;
    for (const Expr *extent : extents) {
      given.push_back(givenExtent(extent, codelet_));
      const Expr *size = nullptr;
      if (const auto &known = given.back())
        size = build_.arena().make<Size>(codelet_.range, Type(Scalar::U64),
                                         build_.var(known->container->name, known->container->type),
                                         known->container->type.rank() == 1 ? none : build_.u64(known->dimension));
      else if (const Expr *said = byParameters(codelet_, extent, build_.arena())) // one below 0 is too large
        size = build_.cast(Scalar::U64, said);
      if (!size) return false;
      sizes.push_back(size);
    }
    bool same = true; // dimensions of one container
    for (std::size_t d = 0; d < given.size(); ++d)
      for (std::size_t other = 0; other <= d; ++other)
        same &= given[d] && given[other] && given[d]->container == given[other]->container &&
                (d == other || given[d]->dimension != given[other]->dimension);
    if (same) return true;
    const Expr *all = nullptr;
    const Expr *const limit = build_.u64(static_cast<std::uint64_t>(most_));
    for (const Expr *size : sizes) {
      // One after the other, so that no product wraps around.
      add(conditions, build_.binary(BinaryOp::Le, size, limit));
      if (all) add(conditions, build_.binary(BinaryOp::Le, build_.mul(all, size), limit));
      all = all ? build_.mul(all, size) : size;
    }
    return true;
  }

private:
  static void add(std::vector<const Expr *> &conditions, const Expr *one) {
    if (std::none_of(conditions.begin(), conditions.end(), [&](const Expr *known) { return equal(known, one); }))
      conditions.push_back(one);
  }

  const Codelet &codelet_;
  std::int64_t most_;
  const Build &build_;
};

class Expansion : public Mutator {
public:
  Expansion(const nest::Nest &nest, std::vector<unsigned> chain, const std::set<std::string> &only, std::int64_t most,
            Names &names, Arena &arena)
      : Mutator(arena), nest_(nest), chain_(std::move(chain)), only_(only), most_(most), names_(names) {}

  const Codelet *run() {
    const Block *body = nest_.codelet->body;
    const For *outermost = nest_.loops[chain_[0]].node;
    if (std::find(body->stmts.begin(), body->stmts.end(), outermost) == body->stmts.end()) return nullptr;
    const Build build(arena(), outermost->range);
    auto wide = [&](const Expr *e) { return build.cast(kSize, e); };
    std::vector<const Expr *> turns;
    for (const unsigned loop : inOrder()) {
      std::string why;
      const std::optional<nest::LoopRange> range = nest::rangeOf(nest_, loop, arena(), why);
      if (!range || range->step < 1) return nullptr;
      const auto *begin = dyn<IntLit>(resolved(range->begin, *nest_.codelet));
      if (!begin || begin->value < 0) return nullptr;
      bounds_.push_back(range->end);
      const Expr *step = build.integer(kSize, range->step), *first = wide(range->begin);
      const Expr *more = build.add(build.sub(wide(range->end), first), build.sub(step, build.integer(kSize, 1)));
      turns.push_back(
          begin->value == 0 && range->step == 1
              ? wide(range->end)
              : build.select(build.less(range->begin, range->end), build.div(more, step), build.integer(kSize, 0)));
      const nest::Loop &l = nest_.loops[loop];
      at_.push_back(build.div(build.sub(wide(build.var(l.variable, l.type)), first), step));
    }
    std::vector<const Stmt *> outside;
    std::vector<const Expr *> conditions = nest_.codelet->conditions;
    const Memory memory(*nest_.codelet, most_, build);
    const auto &stmts = nest_.loops[chain_.back()].node->body->stmts;
    for (const Stmt *s : stmts) {
      const auto *d = dyn<Declare>(s);
      if (!d || d->tunable || d->shared || !expands(*d, stmts)) continue;
      if (isPlace(*d)) {
        places_[d->name] = d;
        continue;
      }
      if (!only_.empty() && !only_.count(d->name)) continue;
      std::vector<const Expr *> extents = turns, bounds = bounds_;
      extents.insert(extents.end(), d->extents.begin(), d->extents.end());
      bounds.insert(bounds.end(), d->extents.begin(), d->extents.end());
      if (!memory.holds(bounds, conditions)) return nullptr;
      const std::string container = names_.fresh(d->name + "_of");
      const Type type =
          Type::array(static_cast<unsigned>(extents.size()), d->type.isArray() ? d->type.element() : d->type);
      const Tunable *noTunable = nullptr;
      const Expr *none = nullptr;
      outside.push_back(
          arena().make<Declare>(d->range, container, type, false, false, std::move(extents), noTunable, none));
      expanded_[d->name] = {d, build.var(container, type)};
    }
    if (outside.empty() && places_.empty()) return nullptr;
    const auto *changed = as<For>(mutate(outermost));
    if (!whole_) return nullptr;
    std::vector<const Stmt *> all;
    for (const Stmt *s : body->stmts) {
      if (s == outermost) all.insert(all.end(), outside.begin(), outside.end());
      all.push_back(s == outermost ? changed : s);
    }
    return arena().derive(nest_.codelet, [&](Codelet &c) {
      c.conditions = conditions;
      c.body = build.block(std::move(all));
    });
  }

private:
  struct Expanded {
    const Declare *declare = nullptr;
    const Expr *container = nullptr;
  };

  /// A scalar, or a container whose extents do not change in the chain.
  bool expands(const Declare &d, const std::vector<const Stmt *> &stmts) const {
    const bool container = d.type.isArray() && !d.extents.empty() && !d.init;
    if (!container && !(d.type.isScalar() && d.extents.empty())) return false;
    if (!std::all_of(d.extents.begin(), d.extents.end(),
                     [&](const Expr *extent) { return givenExtent(extent, *nest_.codelet).has_value(); }))
      return false;
    const auto users = std::count_if(stmts.begin(), stmts.end(),
                                     [&](const Stmt *other) { return other != &d && mentions(other, d.name); });
    return users > 1 || (users > 0 && d.init);
  }

  /// Loops of the chain, those along which elements lie side by side last: so those of what is expanded do as well.
  std::vector<unsigned> inOrder() const {
    std::map<unsigned, std::size_t> along;
    for (const unsigned s : nest_.statementsOf(chain_[0]))
      for (const nest::Access &a : nest_.statements[s].accesses)
        for (const unsigned loop : chain_)
          along[loop] += nest_.variables[a.variable].container && goesAlong(nest_, a, loop);
    std::vector<unsigned> order = chain_;
    std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return along[a] < along[b]; });
    return order;
  }

  /// A number that follows from iterators and from what stands still: each use computes it.
  bool isPlace(const Declare &d) const {
    if (!d.type.isInteger() || d.type.isBool() || !d.init || assigned_.count(d.name)) return false;
    return !any<Expr>(d.init, [&](const Expr &e) {
      const auto *b = dyn<Binary>(&e);
      const auto *v = dyn<VarRef>(&e);
      const bool sum = b && (b->op == BinaryOp::Add || b->op == BinaryOp::Sub || b->op == BinaryOp::Mul);
      const bool still = v && v->type.isScalar() && (isIterator(v->name) || places_.count(v->name) || isStill(v->name));
      return !(sum || still || isa<IntLit>(&e) || isa<Cast>(&e) || isa<Size>(&e) || (v && v->type.isArray()));
    });
  }
  bool isIterator(const std::string &name) const {
    return std::any_of(chain_.begin(), chain_.end(), [&](unsigned l) { return nest_.loops[l].variable == name; });
  }
  /// A parameter, or what stands beside the loops and keeps its value.
  bool isStill(const std::string &name) const {
    const auto &params = nest_.codelet->params;
    const auto &stmts = nest_.codelet->body->stmts;
    return !assigned_.count(name) &&
           (std::any_of(params.begin(), params.end(), [&](const Param *p) { return p->name == name; }) ||
            std::any_of(stmts.begin(), stmts.end(), [&](const Stmt *s) {
              const auto *d = dyn<Declare>(s);
              return d && d->name == name;
            }));
  }

  const Expr *element(const Expanded &e, const std::vector<const Expr *> &own) {
    std::vector<const Expr *> indices = at_;
    indices.insert(indices.end(), own.begin(), own.end());
    return Build(arena(), e.declare->range).element(e.container, indices, e.container->type.element());
  }

  const Node *mutateDeclare(const Declare *d) override {
    if (places_.count(d->name)) return nullptr;
    auto it = expanded_.find(d->name);
    if (it == expanded_.end()) return Mutator::mutateDeclare(d);
    if (!d->init) return nullptr;
    return Build(arena(), d->range).assign(element(it->second, {}), mutateAs(d->init));
  }
  const Node *mutateSubscript(const Subscript *s) override {
    const auto *base = dyn<VarRef>(s->base);
    auto it = base ? expanded_.find(base->name) : expanded_.end();
    if (it == expanded_.end()) return Mutator::mutateSubscript(s);
    std::vector<const Expr *> own;
    for (const Expr *index : s->indices) own.push_back(mutateAs(index));
    whole_ &= own.size() == it->second.declare->type.rank();
    return element(it->second, own);
  }
  const Node *mutateVarRef(const VarRef *v) override {
    if (const auto place = places_.find(v->name); place != places_.end())
      return Build(arena(), v->range).cast(v->type, mutateAs(place->second->init));
    auto it = expanded_.find(v->name);
    if (it == expanded_.end()) return v;
    whole_ &= !it->second.declare->type.isArray(); // a container as a whole is handed to nobody
    return element(it->second, {});
  }

  const nest::Nest &nest_;
  std::vector<unsigned> chain_;
  const std::set<std::string> &only_;
  std::int64_t most_;
  Names &names_;
  std::vector<const Expr *> bounds_, at_;
  std::map<std::string, Expanded> expanded_;
  std::map<std::string, const Declare *> places_; // that are computed anew where they are used
  std::set<std::string> assigned_ = assignedVariables(nest_.codelet->body);
  bool whole_ = true;
};

} // namespace

const Codelet *withVariablesExpanded(const nest::Nest &nest, const std::vector<unsigned> &chain, std::int64_t most,
                                     Names &names, Arena &arena, const std::set<std::string> &only) {
  return Expansion(nest, chain, only, most, names, arena).run();
}

} // namespace tangram::divide
