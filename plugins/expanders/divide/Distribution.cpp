#include "Distribution.h"
#include "Captures.h"
#include "Extents.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Casts.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Range.h"
#include "tangram/nest/Read.h"
#include "tangram/nest/Write.h"

#include <algorithm>
#include <map>
#include <set>

namespace tangram::divide {

using namespace ast;
using nest::Carried;
using nest::Item;
using nest::Step;

namespace {

constexpr unsigned kSteps = 16; // as many changes as a codelet has loops, and more

/// Asks whether a container of such extents has at most so many elements.
class Memory {
public:
  Memory(const Codelet &codelet, std::int64_t most, const Build &build)
      : codelet_(codelet), most_(most), build_(build) {}

  /// False where that cannot be asked; `conditions` are under which it is so, none where the codelet is given a
  /// container that is as large.
  bool holds(const std::vector<const Expr *> &extents, std::vector<const Expr *> &conditions) const {
    std::vector<GivenExtent> given;
    for (const Expr *extent : extents) {
      const std::optional<GivenExtent> found = givenExtent(extent, codelet_);
      if (!found) return false;
      given.push_back(*found);
    }
    bool same = true; // dimensions of one container
    for (std::size_t d = 0; d < given.size(); ++d)
      for (std::size_t other = 0; other < d; ++other)
        same &= given[d].container == given[other].container && given[d].dimension != given[other].dimension;
    if (same) return true;
    const Expr *all = nullptr, *none = nullptr;
    const Expr *const limit = build_.u64(static_cast<std::uint64_t>(most_));
    for (const auto &[container, dimension] : given) {
      const Expr *size =
          build_.arena().make<Size>(codelet_.range, Type(Scalar::U64), build_.var(container->name, container->type),
                                    container->type.rank() == 1 ? none : build_.u64(dimension));
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

/// Gives variables of a loop's iterations, of which several statements of the loop make use, an element for each
/// iteration of a chain of loops that ends with it (scalar and array expansion): `for (...) { T s = e; ... s ... }`  as
/// `Array<1, T> s_of(n); for (...) { s_of[i] = e; ... s_of[i] ... }`.
class Expansion : public Mutator {
public:
  Expansion(const nest::Nest &nest, std::vector<unsigned> chain, std::int64_t most, Names &names, Arena &arena)
      : Mutator(arena), nest_(nest), chain_(std::move(chain)), most_(most), names_(names) {}

  /// Null where there are none, or that cannot be done.
  const Codelet *run() {
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
    std::vector<const Expr *> conditions = nest_.codelet->conditions;
    const Memory memory(*nest_.codelet, most_, build);
    const auto &stmts = nest_.loops[chain_.back()].node->body->stmts;
    for (const Stmt *s : stmts) {
      const auto *d = dyn<Declare>(s);
      if (!d || d->tunable || d->shared || !expands(*d, stmts)) continue;
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
    if (outside.empty()) return nullptr;
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
  std::int64_t most_;
  Names &names_;
  std::vector<const Expr *> bounds_, at_;
  std::map<std::string, Expanded> expanded_;
  bool whole_ = true;
};

/// Gives what a scalar around a loop holds in an iteration a variable of the iteration's own, for the statements beside
/// the one that changes it: `for (...) { sum += x[i]; y[i] = sum; }` as
/// `for (...) { sum += x[i]; const T sum_then = sum; y[i] = sum_then; }`.
class RunningValues : public Mutator {
public:
  RunningValues(const For *loop, Names &names, Arena &arena) : Mutator(arena), loop_(loop), names_(names) {}

  /// Null where no scalar is changed by one statement of the loop, and read by others.
  const Codelet *run(const Codelet &codelet) {
    const auto *body = as<Block>(mutate(codelet.body));
    if (!any_) return nullptr;
    return arena().derive(&codelet, [&](Codelet &c) { c.body = body; });
  }

private:
  const Node *mutateFor(const For *f) override {
    if (f != loop_) return Mutator::mutateFor(f);
    const auto &stmts = f->body->stmts;
    std::map<std::string, std::vector<std::size_t>> changes; // by which statements
    for (std::size_t i = 0; i < stmts.size(); ++i)
      for (const std::string &name : assignedVariables(stmts[i])) changes[name].push_back(i);
    for (const Stmt *s : stmts)
      if (const auto *d = dyn<Declare>(s)) changes.erase(d->name); // an iteration's own
    const Build build(arena(), f->range);
    std::vector<const Stmt *> first, all;
    std::vector<std::vector<const Stmt *>> behind(stmts.size());
    std::map<std::pair<std::string, bool>, const Expr *> own; // of a scalar, before and behind its change
    for (std::size_t i = 0; i < stmts.size(); ++i)
      all.push_back(substituted(arena(), stmts[i], [&](const VarRef *v) -> const Expr * {
        const auto change = changes.find(v->name);
        if (change == changes.end() || change->second.size() != 1 || change->second[0] == i || !v->type.isScalar())
          return v;
        const bool changed = i > change->second[0];
        const Expr *&value = own[{v->name, changed}];
        if (value) return value;
        const std::string name = names_.fresh(v->name + (changed ? "_then" : "_before"));
        (changed ? behind[change->second[0]] : first).push_back(build.declare(name, v->type, v));
        return value = build.var(name, v->type);
      }));
    if (own.empty()) return f;
    any_ = true;
    for (std::size_t i = 0; i < all.size(); ++i) {
      first.push_back(all[i]);
      first.insert(first.end(), behind[i].begin(), behind[i].end());
    }
    return arena().derive(f, [&](For &changed) { changed.body = build.block(std::move(first)); });
  }

  const For *loop_;
  Names &names_;
  bool any_ = false;
};

/// Without the scalars of a loop's iterations that keep their value, each use of which computes it: statements that
/// share nothing else may have loops of their own then. Null where there are none.
class Recomputation : public Mutator {
public:
  Recomputation(const For *loop, const Module &module, Arena &arena) : Mutator(arena), loop_(loop), module_(module) {}

  const Codelet *run(const Codelet &codelet) {
    const auto *body = as<Block>(mutate(codelet.body));
    if (values_.empty()) return nullptr;
    return arena().derive(&codelet, [&](Codelet &c) { c.body = body; });
  }

private:
  const Node *mutateFor(const For *f) override {
    if (f != loop_) return Mutator::mutateFor(f);
    std::set<std::string> changing = changedBy(f->body);
    walk(f->body, [&](const Declare &d) { changing.insert(d.name); });
    std::vector<const Stmt *> all;
    for (const Stmt *s : f->body->stmts) {
      const Stmt *own = substituted(arena(), s, [&](const VarRef *v) -> const Expr * {
        const auto value = values_.find(v->name);
        return value == values_.end() ? v : Build(arena(), v->range).cast(v->type, value->second);
      });
      const auto *d = dyn<Declare>(own);
      const bool keeps = d && d->init && d->type.isScalar() && d->extents.empty() && !d->tunable && !d->shared &&
                         !assignedVariables(f->body).count(d->name) && !nest::changesSomething(d->init, module_) &&
                         !any<VarRef>(d->init, [&](const VarRef &v) { return changing.count(v.name) != 0; });
      if (keeps)
        values_[d->name] = d->init;
      else
        all.push_back(own);
    }
    return arena().derive(f, [&](For &changed) { changed.body = Build(arena(), f->range).block(std::move(all)); });
  }

  const For *loop_;
  const Module &module_;
  std::map<std::string, const Expr *> values_;
};

class Distributor {
public:
  Distributor(nest::Nests &nests, const Codelet &codelet, std::int64_t mostExpanded, Arena &arena)
      : nests_(nests), codelet_(&codelet), mostExpanded_(mostExpanded), arena_(arena) {
    names_.reserveAll(&codelet);
  }

  const Codelet *run() {
    for (unsigned steps = 0; steps < kSteps && change();) ++steps;
    if (const nest::Nest *const nest = nests_.of(*codelet_); nest && serialLoopsAroundLoops(*codelet_) > 0)
      std::any_of(nest->items.begin(), nest->items.end(), [&](const Item &item) { return regroupIn(*nest, item); });
    return codelet_;
  }

  /// The same, but first an innermost loop is taken apart where scalars would have to have a value for each iteration,
  /// and have it. Null where that leaves no fewer of the outermost loops serial than `otherwise` does.
  const Codelet *runWithRunningValues(const Codelet &otherwise) {
    const nest::Nest *const nest = nests_.of(*codelet_);
    std::vector<unsigned> around;
    if (!nest || serialLoops(otherwise) == 0) return nullptr;
    const Codelet *const written = codelet_;
    for (const Item &item : nest->items) {
      const Codelet *found = withRunningValues(*nest, item, around);
      if (found && serialLoops(*found) < serialLoops(otherwise)) return found;
      codelet_ = written;
    }
    return nullptr;
  }

private:
  /// `around` are the serial loops around the item.
  const Codelet *withRunningValues(const nest::Nest &nest, const Item &item, std::vector<unsigned> &around) {
    if (item.kind != Item::Kind::Loop || isParallel(nest, item.index)) return nullptr;
    around.push_back(item.index);
    const Codelet *result = nullptr;
    if (std::none_of(item.body.begin(), item.body.end(), nest::hasLoop))
      result = withRunningValues(nest.loops[item.index], around);
    for (const Item &inner : item.body)
      if (!result) result = withRunningValues(nest, inner, around);
    around.pop_back();
    return result;
  }

  const Codelet *withRunningValues(const nest::Loop &loop, const std::vector<unsigned> &around) {
    const Codelet *own = RunningValues(loop.node, names_, arena_).run(*codelet_);
    const nest::Nest *const read = own ? nests_.of(*own) : nullptr;
    const Codelet *expanded = read ? Expansion(*read, around, mostExpanded_, names_, arena_).run() : nullptr;
    const nest::Nest *const apart = expanded ? nests_.of(*expanded) : nullptr;
    const Item *same = apart ? find(*apart, apart->items, loop.variable) : nullptr;
    if (!same || !apply(*apart, partingScalars(*apart, *same))) return nullptr;
    return Distributor(nests_, *codelet_, mostExpanded_, arena_).run();
  }

  /// One loop at a time, outer ones first: after each the nest is read anew.
  bool change() {
    const nest::Nest *const nest = nests_.of(*codelet_);
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

  /// What is left are loops that are perfectly nested. A parallel loop that holds one loop, which is serial, is left
  /// alone.
  bool distribute(const nest::Nest &nest, const Item &item, const std::vector<unsigned> &around) {
    const auto loops = std::count_if(item.body.begin(), item.body.end(), nest::hasLoop);
    const bool parallel = isParallel(nest, item.index);
    const bool band = std::any_of(item.body.begin(), item.body.end(), [&](const Item &inner) {
      return inner.kind == Item::Kind::Loop && isParallel(nest, inner.index);
    });
    if (loops < (parallel && !band ? 2 : 1)) return false;
    if (apply(nest, parting(nest, item))) return true;
    const Codelet *expanded = Expansion(nest, around, mostExpanded_, names_, arena_).run();
    if (!expanded) return false;
    const nest::Nest *const read = nests_.of(*expanded);
    const Item *same = read ? find(*read, read->items, nest.loops[item.index].variable) : nullptr;
    return same && apply(*read, parting(*read, *same));
  }

  static const Item *find(const nest::Nest &nest, const std::vector<Item> &items, const std::string &loop) {
    for (const Item &item : items) {
      if (item.kind == Item::Kind::Loop && nest.loops[item.index].variable == loop) return &item;
      for (const auto *inner : {&item.body, &item.otherwise})
        if (const Item *found = find(nest, *inner, loop)) return found;
    }
    return nullptr;
  }

  /// Into as many loops as share no variable of an iteration. Statements without a loop stay with a serial one that
  /// uses what they set, or sets what they use.
  static Step parting(const nest::Nest &nest, const Item &item) {
    const nest::Loop &loop = nest.loops[item.index];
    Step step{Step::Kind::Distribute, {loop.variable}, 0, "", loop.node->range};
    const std::size_t n = item.body.size();
    if (std::any_of(item.body.begin(), item.body.end(), [](const Item &i) { return i.kind == Item::Kind::Guard; }))
      return step;
    std::vector<std::map<unsigned, bool>> touched(n); // variables of each, and whether it sets them
    for (std::size_t i = 0; i < n; ++i) {
      const Item &child = item.body[i];
      const std::vector<unsigned> statements =
          child.kind == Item::Kind::Loop ? nest.statementsOf(child.index) : std::vector<unsigned>{child.index};
      for (const unsigned s : statements)
        for (const nest::Access &a : nest.statements[s].accesses)
          touched[i][a.variable] |= a.kind != nest::AccessKind::Read;
    }
    std::vector<bool> ends(n, true); // of parts
    auto together = [&](std::size_t first, std::size_t last) {
      std::fill_n(ends.begin() + static_cast<std::ptrdiff_t>(first), last - first, false);
    };
    for (unsigned v = 0; v < nest.variables.size(); ++v) {
      const std::vector<unsigned> &scope = nest.variables[v].scope;
      if (std::find(scope.begin(), scope.end(), item.index) == scope.end()) continue;
      std::vector<std::size_t> users;
      for (std::size_t i = 0; i < n; ++i)
        if (touched[i].count(v)) users.push_back(i);
      if (!users.empty()) together(users.front(), users.back());
    }
    const auto isSerial = [&](const Item &child) {
      return child.kind == Item::Kind::Loop && !isParallel(nest, child.index);
    };
    const auto sets = [&](std::size_t one, std::size_t other) {
      return std::any_of(touched[one].begin(), touched[one].end(),
                         [&](const auto &v) { return v.second && touched[other].count(v.first); });
    };
    const bool parallel = isParallel(nest, item.index);
    for (std::size_t i = n; i-- > 0 && parallel;) {
      if (nest::hasLoop(item.body[i])) continue;
      for (std::size_t next = i + 1; next < n; ++next) {
        if (isSerial(item.body[next]) && sets(i, next)) together(i, next);
        if (ends[next]) break;
      }
      if (i > 0 && isSerial(item.body[i - 1]) && sets(i - 1, i)) together(i - 1, i);
    }
    step.parts.push_back(0);
    for (std::size_t i = 0; i < n; ++i) {
      ++step.parts.back();
      if (ends[i] && i + 1 < n) step.parts.push_back(0);
    }
    return step;
  }

  /// Statements of one innermost loop, where each has a parallel loop that it does not share with the others: what is
  /// read twice then is the price. `around` ends with the loop.
  bool separate(const nest::Nest &nest, const Item &item, const std::vector<unsigned> &around) {
    if (std::any_of(item.body.begin(), item.body.end(), nest::hasLoop) ||
        std::any_of(around.begin(), around.end(), [&](unsigned loop) { return isParallel(nest, loop); }))
      return false;
    const nest::Loop &loop = nest.loops[item.index];
    const Step each{Step::Kind::Distribute, {loop.variable}, 0, "", loop.node->range, {}};
    if (separateBy(nest, each)) return true;
    const Codelet *own = Recomputation(loop.node, nests_.module(), arena_).run(*codelet_);
    const nest::Nest *const read = own ? nests_.of(*own) : nullptr;
    const Item *same = read ? find(*read, read->items, loop.variable) : nullptr;
    return same && separateBy(*read, partingPlaces(*read, *same));
  }

  /// What stands in a serial loop in loops of their own, one for all that shares variables of an iteration, in an order
  /// that dependences allow; loops in it are taken apart first. Kept where fewer loops are serial around others then:
  ///
  ///   for (i...) { s = 0; for (k < i) { c[k] += b[i] * a[i][k]; s += b[k] * a[i][k]; } c[i] = s; }
  ///
  /// becomes a loop over i that has the sums, and one that has the updates behind it.
  bool regroup(const nest::Nest &nest, const Item &item) {
    constexpr std::size_t kMostGroups = 3; // all orders of them are tried
    if (item.kind != Item::Kind::Loop || item.body.size() < 2 || isParallel(nest, item.index) ||
        std::none_of(item.body.begin(), item.body.end(), nest::hasLoop))
      return false;
    const Codelet *const before = codelet_;
    Place place; // what is written anew has other names
    if (!placeOf(item, nest.items, place)) return false;
    for (std::size_t i = item.body.size(); i-- > 0;) {
      place.push_back(i);
      takeApart(place);
      place.pop_back();
    }
    const nest::Nest *const read = nests_.of(*codelet_);
    const Item *same = read ? itemAt(place, read->items) : nullptr;
    std::vector<std::vector<std::size_t>> groups;
    if (same) groups = sharing(*read, *same);
    for (bool more = groups.size() > 1 && groups.size() <= kMostGroups; more;
         more = std::next_permutation(groups.begin(), groups.end())) {
      Step step{Step::Kind::Distribute,
                {read->loops[same->index].variable},
                0,
                "",
                read->loops[same->index].node->range,
                {},
                {}};
      for (const auto &group : groups) {
        step.parts.push_back(group.size());
        step.order.insert(step.order.end(), group.begin(), group.end());
      }
      if (!apply(*read, step)) continue;
      codelet_ = Distributor(nests_, *codelet_, mostExpanded_, arena_).run();
      if (serialLoopsAroundLoops(*codelet_) < serialLoopsAroundLoops(*before)) {
        names_.reserveAll(codelet_);
        return true;
      }
      break;
    }
    codelet_ = before;
    return false;
  }

  /// The first loop, from outside, of the item and all in it for which that helps.
  bool regroupIn(const nest::Nest &nest, const Item &item) {
    return regroup(nest, item) ||
           std::any_of(item.body.begin(), item.body.end(), [&](const Item &inner) { return regroupIn(nest, inner); });
  }

  /// Positions of items, each in what stands in the one before.
  using Place = std::vector<std::size_t>;
  static bool placeOf(const Item &item, const std::vector<Item> &items, Place &place) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      place.push_back(i);
      if (&items[i] == &item || placeOf(item, items[i].body, place)) return true;
      place.pop_back();
    }
    return false;
  }
  static const Item *itemAt(const Place &place, const std::vector<Item> &items) {
    const std::vector<Item> *in = &items;
    const Item *item = nullptr;
    for (const std::size_t i : place) {
      if (i >= in->size()) return nullptr;
      item = &(*in)[i];
      in = &item->body;
    }
    return item && item->kind == Item::Kind::Loop ? item : nullptr;
  }

  /// An innermost loop of several statements into one for each.
  void takeApart(const Place &loop) {
    const nest::Nest *const read = nests_.of(*codelet_);
    const Item *item = read ? itemAt(loop, read->items) : nullptr;
    if (item && item->body.size() > 1 && std::none_of(item->body.begin(), item->body.end(), nest::hasLoop))
      apply(*read, parting(*read, *item));
  }

  /// Which of what stands in a loop share variables of an iteration.
  static std::vector<std::vector<std::size_t>> sharing(const nest::Nest &nest, const Item &item) {
    if (std::any_of(item.body.begin(), item.body.end(), [](const Item &i) { return i.kind == Item::Kind::Guard; }))
      return {};
    std::vector<std::vector<std::size_t>> groups;
    std::vector<std::set<unsigned>> variables; // of each group
    for (std::size_t i = 0; i < item.body.size(); ++i) {
      std::vector<std::size_t> members = {i};
      std::set<unsigned> own;
      for (const unsigned s : nest::statementsIn(item.body[i]))
        for (const nest::Access &a : nest.statements[s].accesses)
          if (const auto &scope = nest.variables[a.variable].scope;
              std::find(scope.begin(), scope.end(), item.index) != scope.end())
            own.insert(a.variable);
      for (std::size_t g = groups.size(); g-- > 0;) {
        if (std::none_of(own.begin(), own.end(), [&](unsigned v) { return variables[g].count(v) != 0; })) continue;
        members.insert(members.begin(), groups[g].begin(), groups[g].end());
        own.insert(variables[g].begin(), variables[g].end());
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(g));
        variables.erase(variables.begin() + static_cast<std::ptrdiff_t>(g));
      }
      std::sort(members.begin(), members.end());
      groups.push_back(std::move(members));
      variables.push_back(std::move(own));
    }
    std::sort(groups.begin(), groups.end()); // the order of the source, where there is one
    return groups;
  }

  /// Whether loops become parallel by that.
  bool separateBy(const nest::Nest &nest, const Step &step) {
    const Codelet *const before = codelet_;
    if (apply(nest, step)) codelet_ = Distributor(nests_, *codelet_, mostExpanded_, arena_).run();
    if (parallelLoops(*codelet_) <= parallelLoops(*before)) {
      codelet_ = before;
      return false;
    }
    names_.reserveAll(codelet_);
    return true;
  }

  /// Into as many loops as neighbouring statements write elements that other loops count: sum[i] and most[i],
  /// column[j].
  static Step partingPlaces(const nest::Nest &nest, const Item &item) {
    const nest::Loop &loop = nest.loops[item.index];
    Step step{Step::Kind::Distribute, {loop.variable}, 0, "", loop.node->range, {}};
    std::set<std::string> before;
    for (const Item &child : item.body) {
      std::set<std::string> counted;
      for (const unsigned s : nest::statementsIn(child))
        for (const nest::Access &a : nest.statements[s].accesses)
          if (a.kind != nest::AccessKind::Read)
            for (const nest::Loop &l : nest.loops) {
              const auto *assign = dyn<Assign>(a.node);
              const Node *place = assign ? assign->target : a.node;
              if (mentions(place, l.variable)) counted.insert(l.variable);
            }
      if (!step.parts.empty() && counted == before)
        ++step.parts.back();
      else
        step.parts.push_back(1);
      before = std::move(counted);
    }
    return step;
  }

  /// Into as many loops as share no scalar.
  static Step partingScalars(const nest::Nest &nest, const Item &item) {
    const nest::Loop &loop = nest.loops[item.index];
    Step step{Step::Kind::Distribute, {loop.variable}, 0, "", loop.node->range, {}};
    std::map<unsigned, std::pair<std::size_t, std::size_t>> users; // the first and the last of a scalar
    for (std::size_t i = 0; i < item.body.size(); ++i)
      for (const unsigned s : nest::statementsIn(item.body[i]))
        for (const nest::Access &a : nest.statements[s].accesses)
          if (const nest::Variable &v = nest.variables[a.variable]; v.rank == 0 && !v.container)
            users.try_emplace(a.variable, i, i).first->second.second = i;
    step.parts.push_back(0);
    for (std::size_t i = 0; i < item.body.size(); ++i) {
      ++step.parts.back();
      const bool shared = std::any_of(users.begin(), users.end(), [&](const auto &user) {
        return user.second.first <= i && i < user.second.second;
      });
      if (!shared && i + 1 < item.body.size()) step.parts.push_back(0);
    }
    return step;
  }

  /// How many of a codelet's outermost loops are parallel, or are not.
  std::ptrdiff_t parallelLoops(const Codelet &codelet) const { return outermostLoops(codelet, true); }
  std::ptrdiff_t serialLoops(const Codelet &codelet) const { return outermostLoops(codelet, false); }
  std::ptrdiff_t outermostLoops(const Codelet &codelet, bool parallel) const {
    const nest::Nest *const nest = nests_.of(codelet);
    if (!nest) return 0;
    return std::count_if(nest->items.begin(), nest->items.end(), [&](const Item &item) {
      return item.kind == Item::Kind::Loop && isParallel(*nest, item.index) == parallel;
    });
  }

  std::ptrdiff_t serialLoopsAroundLoops(const Codelet &codelet) const {
    const nest::Nest *const nest = nests_.of(codelet);
    std::ptrdiff_t result = 0;
    const auto count = [&](const auto &self, const std::vector<Item> &items) -> void {
      for (const Item &item : items) {
        result += item.kind == Item::Kind::Loop && std::any_of(item.body.begin(), item.body.end(), nest::hasLoop) &&
                  !isParallel(*nest, item.index);
        self(self, item.body);
        self(self, item.otherwise);
      }
    };
    if (nest) count(count, nest->items);
    return result;
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
    codelet_ = nest::withWritten(nest.codelet, written, arena_);
    names_.reserveAll(codelet_);
    return true;
  }

  nest::Nests &nests_;
  const Codelet *codelet_;
  std::int64_t mostExpanded_;
  Arena &arena_;
  Names names_;
  std::set<std::string> tried_; // loops, by their iterators
};

} // namespace

const Codelet *withParallelLoopsOutside(nest::Nests &nests, const Codelet &codelet, std::int64_t mostExpanded,
                                        Arena &arena) {
  return Distributor(nests, codelet, mostExpanded, arena).run();
}

const Codelet *withRunningValuesApart(nest::Nests &nests, const Codelet &codelet, const Codelet &otherwise,
                                      std::int64_t mostExpanded, Arena &arena) {
  return Distributor(nests, codelet, mostExpanded, arena).runWithRunningValues(otherwise);
}

} // namespace tangram::divide
