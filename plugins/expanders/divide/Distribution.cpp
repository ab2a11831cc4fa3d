#include "Distribution.h"
#include "Captures.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Range.h"
#include "tangram/nest/Read.h"
#include "tangram/nest/Write.h"

#include <algorithm>
#include <set>

namespace tangram::divide {

using namespace ast;
using nest::Carried;
using nest::Item;
using nest::Step;

namespace {

constexpr unsigned kSteps = 16; // as many changes as a codelet has loops, and more

bool hasLoop(const Item &item) {
  if (item.kind == Item::Kind::Loop) return true;
  for (const auto *items : {&item.body, &item.otherwise})
    if (std::any_of(items->begin(), items->end(), hasLoop)) return true;
  return false;
}

/// Without casts, and what a variable that keeps its value stands for.
const Expr *resolved(const Expr *e, const Codelet &codelet) {
  for (int fuel = 16; fuel > 0; --fuel) {
    while (const auto *cast = dyn<Cast>(e)) e = cast->operand;
    const auto *v = dyn<VarRef>(e);
    const Declare *found = nullptr;
    if (v && !assignedVariables(codelet.body).count(v->name))
      for (const Stmt *s : codelet.body->stmts)
        if (const auto *d = dyn<Declare>(s); d && d->name == v->name && d->extents.empty()) found = d;
    if (!found || !found->init) return e;
    e = found->init;
  }
  return e;
}

/// Whether an extent is that of a dimension of a container that the codelet is given.
bool isExtentOf(const Expr *extent, const Param &container, std::size_t d, const Codelet &codelet) {
  const auto *size = dyn<Size>(resolved(extent, codelet));
  const auto *of = size ? dyn<VarRef>(size->container) : nullptr;
  if (!of || of->name != container.name) return false;
  const auto *dim = size->dim ? dyn<IntLit>(resolved(size->dim, codelet)) : nullptr;
  return dim ? dim->value == static_cast<Int>(d) : container.type.rank() == 1;
}

/// What is expanded takes no more memory than a container that is there.
bool isAsLargeAsGiven(const std::vector<const Expr *> &extents, const Codelet &codelet) {
  return std::any_of(codelet.params.begin(), codelet.params.end(), [&](const Param *p) {
    if (!p->type.isArray()) return false;
    if (extents.size() == 1) { // as long as one of its dimensions
      for (std::size_t d = 0; d < p->type.rank(); ++d)
        if (isExtentOf(extents[0], *p, d, codelet)) return true;
      return false;
    }
    bool same = p->type.rank() == extents.size();
    for (std::size_t d = 0; d < extents.size() && same; ++d) same = isExtentOf(extents[d], *p, d, codelet);
    return same;
  });
}

/// Gives variables of a loop's iterations, of which several statements of the loop make use, an element for each
/// iteration of a chain of loops that ends with it (scalar and array expansion): `for (...) { T s = e; ... s ... }`  as
/// `Array<1, T> s_of(n); for (...) { s_of[i] = e; ... s_of[i] ... }`.
class Expansion : public Mutator {
public:
  Expansion(const nest::Nest &nest, std::vector<unsigned> chain, Names &names, Arena &arena)
      : Mutator(arena), nest_(nest), chain_(std::move(chain)), names_(names) {}

  /// Null where there are none, or that cannot be done.
  const Block *run() {
    const Block *body = nest_.codelet->body;
    const For *outermost = nest_.loops[chain_[0]].node;
    if (std::find(body->stmts.begin(), body->stmts.end(), outermost) == body->stmts.end()) return nullptr;
    const Build build(arena(), outermost->range);
    auto wide = [&](const Expr *e) { return build.cast(kSize, e); };
    std::vector<const Expr *> turns;
    for (const unsigned loop : chain_) {
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
    const auto &stmts = nest_.loops[chain_.back()].node->body->stmts;
    for (const Stmt *s : stmts) {
      const auto *d = dyn<Declare>(s);
      if (!d || d->tunable || d->shared || !expands(*d, stmts)) continue;
      std::vector<const Expr *> extents = turns, bounds = bounds_;
      extents.insert(extents.end(), d->extents.begin(), d->extents.end());
      bounds.insert(bounds.end(), d->extents.begin(), d->extents.end());
      if (!isAsLargeAsGiven(bounds, *nest_.codelet)) return nullptr;
      const std::string container = names_.fresh(d->name + "_of");
      const Type type =
          Type::array(static_cast<unsigned>(extents.size()), d->type.isArray() ? d->type.element() : d->type);
      const Tunable *noTunable = nullptr;
      const Expr *none = nullptr;
      outside.push_back(
          arena().make<Declare>(d->range, container, type, false, false, std::move(extents), noTunable, none));
      expanded_[d->name] = {d, build.var(container, type)};
    }
    if (outside.empty()) return nullptr;
    const auto *changed = as<For>(mutate(outermost));
    if (!whole_) return nullptr;
    return arena().derive(body, [&](Block &b) {
      b.stmts.clear();
      for (const Stmt *s : body->stmts) {
        if (s == outermost) b.stmts.insert(b.stmts.end(), outside.begin(), outside.end());
        b.stmts.push_back(s == outermost ? changed : s);
      }
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
                     [&](const Expr *extent) { return isAsLargeAsGiven({extent}, *nest_.codelet); }))
      return false;
    const auto users = std::count_if(stmts.begin(), stmts.end(), [&](const Stmt *other) {
      return other != &d && any<VarRef>(other, [&](const VarRef &v) { return v.name == d.name; });
    });
    return users > 1 || (users > 0 && d.init);
  }

  const Expr *element(const Expanded &e, const std::vector<const Expr *> &own) {
    std::vector<const Expr *> indices = at_;
    indices.insert(indices.end(), own.begin(), own.end());
    return Build(arena(), e.declare->range).element(e.container, indices, e.container->type.element());
  }

  const Node *mutateDeclare(const Declare *d) override {
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
    auto it = expanded_.find(v->name);
    if (it == expanded_.end()) return v;
    whole_ &= !it->second.declare->type.isArray(); // a container as a whole is handed to nobody
    return element(it->second, {});
  }

  const nest::Nest &nest_;
  std::vector<unsigned> chain_;
  Names &names_;
  std::vector<const Expr *> bounds_, at_;
  std::map<std::string, Expanded> expanded_;
  bool whole_ = true;
};

class Distributor {
public:
  Distributor(const Module &module, const Codelet &codelet, Arena &arena)
      : module_(module), codelet_(&codelet), arena_(arena) {
    names_.reserveAll(&codelet);
  }

  const Codelet *run() {
    for (unsigned steps = 0; steps < kSteps && change();) ++steps;
    return codelet_;
  }

private:
  /// One loop at a time, outer ones first: after each the nest is read anew.
  bool change() {
    const std::unique_ptr<nest::Nest> nest = nest::read(module_, *codelet_);
    if (!nest) return false;
    std::vector<unsigned> around;
    return std::any_of(nest->items.begin(), nest->items.end(),
                       [&](const Item &item) { return change(*nest, item, around); });
  }

  bool change(const nest::Nest &nest, const Item &item, std::vector<unsigned> &around) {
    const bool isLoop = item.kind == Item::Kind::Loop;
    if (isLoop) {
      around.push_back(item.index);
      if (tried_.insert(nest.loops[item.index].variable).second &&
          (item.body.size() > 1 ? distribute(nest, item, around) || separate(nest, item, around)
                                : interchange(nest, item))) {
        tried_.clear(); // what is around it may go on from here
        return true;
      }
    }
    for (const auto *items : {&item.body, &item.otherwise})
      for (const Item &inner : *items)
        if (change(nest, inner, around)) return true;
    if (isLoop) around.pop_back();
    return false;
  }

  /// What is left are loops that are perfectly nested. A parallel loop that holds one loop is left alone.
  bool distribute(const nest::Nest &nest, const Item &item, const std::vector<unsigned> &around) {
    const auto loops = std::count_if(item.body.begin(), item.body.end(), hasLoop);
    const bool parallel = isParallel(nest, item.index);
    if (loops < (parallel ? 2 : 1)) return false;
    const nest::Loop &loop = nest.loops[item.index];
    const Step step{Step::Kind::Distribute, {loop.variable}, 0, "", loop.node->range};
    if (apply(nest, step)) return true;
    const Block *expanded = Expansion(nest, around, names_, arena_).run();
    if (!expanded) return false;
    const Codelet *other = arena_.derive(codelet_, [&](Codelet &c) { c.body = expanded; });
    const std::unique_ptr<nest::Nest> read = nest::read(module_, *other);
    return read && apply(*read, step);
  }

  /// Statements of one innermost loop, where each has a parallel loop that it does not share with the others: what is
  /// read twice then is the price. `around` ends with the loop.
  bool separate(const nest::Nest &nest, const Item &item, const std::vector<unsigned> &around) {
    if (std::any_of(item.body.begin(), item.body.end(), hasLoop) ||
        std::any_of(around.begin(), around.end(), [&](unsigned loop) { return isParallel(nest, loop); }))
      return false;
    const Codelet *const before = codelet_;
    const nest::Loop &loop = nest.loops[item.index];
    if (apply(nest, {Step::Kind::Distribute, {loop.variable}, 0, "", loop.node->range}))
      codelet_ = Distributor(module_, *codelet_, arena_).run();
    if (parallelLoops(*codelet_) <= parallelLoops(*before)) {
      codelet_ = before;
      return false;
    }
    names_.reserveAll(codelet_);
    return true;
  }

  /// How many of a codelet's outermost loops are parallel.
  std::ptrdiff_t parallelLoops(const Codelet &codelet) const {
    const std::unique_ptr<nest::Nest> nest = nest::read(module_, codelet);
    if (!nest) return 0;
    return std::count_if(nest->items.begin(), nest->items.end(), [&](const Item &item) {
      return item.kind == Item::Kind::Loop && isParallel(*nest, item.index);
    });
  }

  bool interchange(const nest::Nest &nest, const Item &outermost) {
    std::vector<std::string> parallel, serial, before;
    for (const Item *item = &outermost; item->kind == Item::Kind::Loop;) {
      const std::string &variable = nest.loops[item->index].variable;
      (isParallel(nest, item->index) ? parallel : serial).push_back(variable);
      before.push_back(variable);
      if (item->body.size() != 1) break;
      item = &item->body[0];
    }
    if (parallel.empty() || serial.empty()) return false;
    parallel.insert(parallel.end(), serial.begin(), serial.end());
    return parallel != before &&
           apply(nest, {Step::Kind::Order, parallel, 0, "", nest.loops[outermost.index].node->range});
  }

  static bool isParallel(const nest::Nest &nest, unsigned loop) {
    return nest::Dependences(nest).carried(loop).kind == Carried::Kind::Nothing;
  }

  bool apply(const nest::Nest &nest, const Step &step) {
    nest::Schedule schedule(nest);
    const std::size_t loops = schedule.loops().size();
    if (schedule.apply(step)) return false;
    if (step.kind == Step::Kind::Distribute && schedule.loops().size() == loops) return false; // all stay together
    const nest::Written written = nest::write(schedule, arena_);
    if (!written.body) return false;
    codelet_ = arena_.derive(nest.codelet, [&](Codelet &c) {
      c.body = written.body;
      c.conditions.insert(c.conditions.end(), written.conditions.begin(), written.conditions.end());
    });
    names_.reserveAll(codelet_);
    return true;
  }

  const Module &module_;
  const Codelet *codelet_;
  Arena &arena_;
  Names names_;
  std::set<std::string> tried_; // loops, by their iterators
};

} // namespace

const Codelet *withParallelLoopsOutside(const Module &module, const Codelet &codelet, Arena &arena) {
  return Distributor(module, codelet, arena).run();
}

} // namespace tangram::divide
