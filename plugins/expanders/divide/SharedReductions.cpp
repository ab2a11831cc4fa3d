#include "SharedReductions.h"
#include "Reductions.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Casts.h"
#include "tangram/nest/Dependences.h"
#include "tangram/nest/Range.h"
#include "tangram/nest/Statements.h"
#include "tangram/nest/Updates.h"
#include "tangram/nest/Write.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include <isl/set.h>

namespace tangram::divide {

using namespace ast;
using nest::Carried;
using nest::Item;
using nest::kInteger;

namespace {

/// A reduction in another one, and the loops around them, outermost first.
struct Window {
  std::vector<unsigned> around;
  unsigned outer = 0, inner = 0;
  const Stmt *statement = nullptr; // of the inner one
  std::string scalar;
  Type type;
  Type kept; // as which values of the inner one are kept
  nest::ReductionOp op = nest::ReductionOp::Add;
};

/// x + y, whichever stands first, for a variable.
class SumReplaced final : public Mutator {
public:
  SumReplaced(Arena &arena, const std::string &x, const std::string &y, const Expr *by)
      : Mutator(arena), x_(x), y_(y), by_(by) {}

private:
  bool is(const Expr *e, const std::string &name) const {
    const auto *v = dyn<VarRef>(e);
    return v && v->name == name && v->type == by_->type;
  }
  const Node *mutateBinary(const Binary *e) override {
    const bool sum = e->op == BinaryOp::Add && e->type == by_->type;
    return sum && ((is(e->lhs, x_) && is(e->rhs, y_)) || (is(e->lhs, y_) && is(e->rhs, x_))) ? by_ : rebuild(e);
  }

  const std::string &x_, &y_;
  const Expr *by_;
};

class SharedReductions {
public:
  SharedReductions(const nest::Nest &nest, bool reorder, std::int64_t most, Arena &arena)
      : nest_(nest), dependences_(nest), reorder_(reorder), most_(most), arena_(arena),
        assigned_(assignedVariables(nest.codelet->body)) {
    names_.reserveAll(nest.codelet);
    walk(nest.codelet->body, [&](const Declare &d) { declared_[d.name] = &d; });
  }

  const Codelet *run() {
    for (const Item &item : nest_.items)
      if (item.kind == Item::Kind::Loop)
        if (const Codelet *changed = below(item, {})) return changed;
    return nest_.codelet;
  }

private:
  bool isReduction(unsigned loop) const {
    const Carried carried = dependences_.carried(loop);
    return carried.kind == Carried::Kind::Reduction && carried.reductions.size() == 1 &&
           !carried.reductions[0].selection && (reorder_ || carried.reductions[0].exact);
  }

  const Codelet *below(const Item &item, std::vector<unsigned> around) {
    if (item.kind == Item::Kind::Guard) return nullptr;
    if (std::optional<Window> window = windowOf(item, around))
      if (const Codelet *changed = shared(*window)) return changed;
    around.push_back(item.index);
    for (const Item &inner : item.body)
      if (inner.kind == Item::Kind::Loop)
        if (const Codelet *changed = below(inner, around)) return changed;
    return nullptr;
  }

  std::optional<Window> windowOf(const Item &item, const std::vector<unsigned> &around) const {
    const Item *inner = item.body.size() == 1 ? &item.body[0] : nullptr;
    if (around.empty() || !inner || inner->kind != Item::Kind::Loop || inner->body.size() != 1 ||
        inner->body[0].kind != Item::Kind::Statement || !isReduction(item.index) || !isReduction(inner->index))
      return {};
    const nest::Statement &s = nest_.statements[inner->body[0].index];
    const std::optional<nest::Update> update = nest::updateOf(s.node, *nest_.module);
    const auto *scalar = update ? dyn<VarRef>(update->target) : nullptr;
    if (!scalar || !scalar->type.isScalar() || update->subtracts) return {};
    return Window{around,    item.index, inner->index, s.node, scalar->name, scalar->type, keptAs(*scalar, *update),
                  update->op};
  }

  /// Extremes of bytes are bytes, where those that there are none of change nothing: the scalar begins as one.
  Type keptAs(const VarRef &scalar, const nest::Update &update) const {
    const auto *cast = dyn<Cast>(update.value);
    const auto declared = declared_.find(scalar.name);
    const bool extreme = update.op == nest::ReductionOp::Min || update.op == nest::ReductionOp::Max;
    if (!extreme || !cast || declared == declared_.end() || !declared->second->init) return scalar.type;
    const Type &narrow = cast->operand->type;
    const std::optional<Int> begins = literal(declared->second->init);
    if (!begins || !narrow.isInteger() || narrow.isBool() || !scalar.type.isInteger() || narrow.bytes() > 2 ||
        narrow.bytes() >= scalar.type.bytes() || (narrow.isSigned() && !scalar.type.isSigned()))
      return scalar.type;
    std::size_t changes = 0;
    walk(nest_.codelet->body, [&](const Assign &a) {
      const auto *v = dyn<VarRef>(a.target);
      changes += v && v->name == scalar.name;
    });
    const unsigned bits = 8 * narrow.bytes() - (narrow.isSigned() ? 1 : 0);
    const Int high = (Int{1} << bits) - 1, low = narrow.isSigned() ? -high - 1 : 0;
    const bool begun = update.op == nest::ReductionOp::Min ? *begins <= high : *begins >= low;
    return changes == 1 && begun ? narrow : scalar.type;
  }

  /// With values of constants in their place, and of constants that these are made of; null: it stays.
  template <class T, class F> const T *withValues(const T *tree, F &&valueOf) {
    for (unsigned fuel = 16; fuel > 0; --fuel) {
      bool more = false;
      tree = substituted(arena_, tree, [&](const VarRef *v) -> const Expr * {
        const Expr *value = assigned_.count(v->name) ? nullptr : valueOf(*v);
        more |= value != nullptr;
        return value ? value : v;
      });
      if (!more) break;
    }
    return tree;
  }

  /// Of constants of the loops, but for the loop's own.
  const For *resolved(const For *loop) {
    const std::set<std::string> own = nest::declaredIn({loop});
    return withValues(loop, [&](const VarRef &v) -> const Expr * {
      const auto found = declared_.find(v.name);
      const Declare *d = found == declared_.end() ? nullptr : found->second;
      const bool constant = d && d->init && v.type.isScalar() && d->extents.empty() && !own.count(v.name) &&
                            !nest::changesSomething(d->init, *nest_.module) && !isIterator(v.name) &&
                            !isOutside(v.name);
      return constant ? d->init : nullptr;
    });
  }
  /// Of the codelet's outermost constants, and of `more`.
  const Expr *resolved(const Expr *e, const std::vector<const Stmt *> &more = {}) {
    return withValues(e, [&](const VarRef &v) -> const Expr * {
      for (const auto *stmts : {&nest_.codelet->body->stmts, &more})
        for (const Stmt *s : *stmts)
          if (const auto *d = dyn<Declare>(s); d && d->name == v.name && d->init && d->extents.empty()) return d->init;
      return nullptr;
    });
  }
  bool isIterator(const std::string &name) const {
    return std::any_of(nest_.loops.begin(), nest_.loops.end(), [&](const nest::Loop &l) { return l.variable == name; });
  }
  /// Declared by the codelet's outermost statements.
  bool isOutside(const std::string &name) const {
    const auto &stmts = nest_.codelet->body->stmts;
    return std::any_of(stmts.begin(), stmts.end(), [&](const Stmt *s) {
      const auto *d = dyn<Declare>(s);
      return d && d->name == name;
    });
  }

  const Codelet *shared(const Window &window) {
    const nest::Loop &inner = nest_.loops[window.inner];
    const For *const top = nest_.loops[window.around[0]].node;
    const auto &stmts = nest_.codelet->body->stmts;
    const Build b(arena_, inner.node->range);
    const Expr *none = neutral(b, window.op, window.kept);
    if (none) none = b.cast(window.type, none);
    if (!none || std::find(stmts.begin(), stmts.end(), top) == stmts.end()) return nullptr;
    const std::set<std::string> own = nest::declaredIn({inner.node});
    const For *const whole = resolved(inner.node);
    for (const unsigned dropped : window.around) {
      if (dependences_.carried(dropped).kind != Carried::Kind::Nothing) continue;
      if (const Codelet *changed = withoutLoop(window, dropped, whole, own, none)) return changed;
    }
    return nullptr;
  }

  const Codelet *withoutLoop(const Window &window, unsigned dropped, const For *whole, const std::set<std::string> &own,
                             const Expr *none) {
    const nest::Loop &outer = nest_.loops[window.outer], &drop = nest_.loops[dropped];
    const Build b(arena_, outer.node->range);
    const auto *begins = as<Declare>(outer.node->init);
    const std::string place = names_.fresh(outer.variable);
    const Expr *const at = b.var(place, outer.type); // what the reduction follows
    bool sum = mentions(whole, drop.variable);
    const For *loop = whole;
    if (sum) {
      if (!outer.type.isSigned() || !(drop.type == outer.type)) return nullptr;
      loop = as<For>(SumReplaced(arena_, drop.variable, outer.variable, at)(whole));
      if (mentions(loop, outer.variable)) return nullptr;
    } else {
      if (!mentions(begins->init, drop.variable) || !mentions(whole, outer.variable)) return nullptr;
      loop = substituted(arena_, whole,
                         [&](const VarRef *v) -> const Expr * { return v->name == outer.variable ? at : v; });
    }
    if (mentions(loop, drop.variable) || mentions(loop, outer.variable)) return nullptr;

    // Which of the loops around it follows, and that nothing else of theirs is in it.
    std::vector<nest::LoopRange> kept;
    for (const unsigned around : window.around) {
      if (around == dropped || !mentions(loop, nest_.loops[around].variable)) continue;
      std::string why;
      const std::optional<nest::LoopRange> range = nest::rangeOf(nest_, around, arena_, why);
      if (!range || range->step != 1 || dependences_.carried(around).kind != Carried::Kind::Nothing) return nullptr;
      if (!isFree(range->begin, {}) || !isFree(range->end, {})) return nullptr;
      kept.push_back(*range);
    }
    const For *bounds = resolved(outer.node);
    const std::set<std::string> mine{outer.variable, drop.variable};
    if (!isFree(bounds->init, mine) || !isFree(bounds->cond, mine) || outer.step != 1) return nullptr;
    std::set<std::string> known = own;
    known.insert({window.scalar, place});
    for (const nest::LoopRange &range : kept) known.insert(range.iterator);
    if (!isFree(loop, known)) return nullptr;
    const std::set<std::string> written = nest::writtenIn({nest_.loops[window.around[0]].node});
    if (nest::touchesElements(loop, written)) return nullptr;

    const std::optional<std::pair<const Expr *, const Expr *>> range = placesOf(window, dropped, sum);
    if (!range) return nullptr;
    return computedOnce(window, loop, kept, place, at, *range, none, sum ? drop.variable : std::string());
  }

  /// Whether all that it mentions is known in front of the loops, or one of these.
  bool isFree(const Node *tree, const std::set<std::string> &known) const {
    return !any<VarRef>(tree, [&](const VarRef &v) {
      const bool given = std::any_of(nest_.codelet->params.begin(), nest_.codelet->params.end(),
                                     [&](const Param *p) { return p->name == v.name; });
      return !known.count(v.name) && !(given && !(v.type.isScalar() && assigned_.count(v.name))) &&
             !(isOutside(v.name) && !(v.type.isScalar() && assigned_.count(v.name)));
    });
  }

  /// The first place of all that the outer reductions come to, and how many there are, over the codelet's parameters.
  std::optional<std::pair<const Expr *, const Expr *>> placesOf(const Window &window, unsigned dropped, bool sum) {
    const nest::Loop &outer = nest_.loops[window.outer];
    if (!outer.exact || !nest_.loops[dropped].exact) return {};
    const auto found = nest_.isl.limited([&]() -> std::optional<std::pair<isl::pw_aff, isl::pw_aff>> {
      const isl::ctx ctx = nest_.isl.get();
      const isl::set all = isl::set::universe(isl::space::unit(ctx));
      const isl::id place(ctx, "place_");
      const auto of = [&](const std::string &id) { return all.param_pw_aff_on_domain(isl::id(ctx, id)); };
      isl::pw_aff value = of(outer.id);
      if (sum) value = value.add(of(nest_.loops[dropped].id));
      isl::set places =
          outer.values.intersect(nest_.assumed).intersect(all.param_pw_aff_on_domain(place).eq_set(value));
      places = nest_.without(places, nest_.allLoops());
      isl::set one =
          places.unbind_params(isl::space::unit(ctx).add_unnamed_tuple(1).multi_id(isl::id_list(ctx, 1).add(place)));
      isl::pw_aff low = isl::manage(isl_set_dim_min(one.copy(), 0)), high = isl::manage(isl_set_dim_max(one.copy(), 0));
      const isl::set given = one.params();
      // All of them in between, so that nothing is computed that was not.
      const isl::pw_aff at = all.param_pw_aff_on_domain(place);
      if (!at.ge_set(low).intersect(at.le_set(high)).is_subset(places)) return std::nullopt;
      const isl::pw_aff none = all.pw_aff_on_domain(0); // of empty loops around it
      const isl::pw_aff count = given.indicator_function().cond(high.sub(low).add_constant(1), none);
      const isl::set known = nest_.without(nest_.context, nest_.allLoops());
      return std::pair(low.gist(given).coalesce(), count.gist(known).coalesce());
    });
    if (!found || !*found || (*found)->first.n_piece() > 2 || (*found)->second.n_piece() > 3) return {};
    const Expr *first = nest::written(nest_, (*found)->first, arena_),
               *count = nest::written(nest_, (*found)->second, arena_);
    if (!first || !count || !isFree(first, {}) || !isFree(count, {})) return {};
    return std::pair(first, count);
  }

  const Codelet *computedOnce(const Window &window, const For *loop, const std::vector<nest::LoopRange> &kept,
                              const std::string &place, const Expr *at, std::pair<const Expr *, const Expr *> range,
                              const Expr *none, const std::string &added) {
    const nest::Loop &outer = nest_.loops[window.outer];
    const Build b(arena_, outer.node->range);
    const Expr *zero = b.integer(kInteger, 0);
    std::vector<const Stmt *> before;
    const auto constant = [&](const std::string &name, const Expr *value) {
      const std::string own = names_.fresh(name);
      before.push_back(b.declare(own, kInteger, b.cast(kInteger, value)));
      return b.var(own, kInteger);
    };
    const auto atLeastNone = [&](const Expr *n) {
      return isa<Size>(withoutCasts(resolved(n))) ? n : b.select(b.less(n, zero), zero, n);
    };
    std::vector<const Expr *> begins{constant(place + "_first", range.first)};
    std::vector<const Expr *> counts{constant(place + "_count", atLeastNone(range.second))}, values{at};
    for (const nest::LoopRange &r : kept) {
      const Expr *last = b.cast(kInteger, r.end);
      begins.push_back(literal(r.begin) ? b.cast(kInteger, r.begin) : constant(r.iterator + "_first", r.begin));
      const Expr *many = isLiteral(begins.back(), 0) ? last : b.sub(last, begins.back());
      counts.push_back(constant(r.iterator + "_count", atLeastNone(many)));
      values.push_back(b.var(r.iterator, r.iteratorType));
    }
    std::vector<const Expr *> conditions = nest_.codelet->conditions;
    if (!fits(loop, before, counts, conditions)) return nullptr;
    // The container, and its elements by the numbers of the loops.
    const Type type = Type::array(static_cast<unsigned>(counts.size()), window.kept);
    const std::string parts = names_.fresh(window.scalar + "_parts");
    std::vector<const Expr *> extents;
    for (const Expr *n : counts) extents.push_back(b.cast(kSize, n));
    const Tunable *noTunable = nullptr;
    const Expr *noValue = nullptr;
    const auto element = [&](const Expr *placeOf) {
      std::vector<const Expr *> indices;
      for (std::size_t d = 0; d < values.size(); ++d)
        indices.push_back(b.exactCast(kSize, b.sub(b.cast(kInteger, d == 0 ? placeOf : values[d]), begins[d])));
      return b.element(b.var(parts, type), indices, window.kept);
    };

    // Their values.
    const std::string part = names_.fresh(window.scalar + "_part");
    const For *own = as<For>(withOwnNames(arena_, renameVariables(arena_, loop, {{window.scalar, part}}), names_));
    std::vector<const Stmt *> body;
    std::map<std::string, std::string> renamed;
    std::vector<const Expr *> turns;
    for (std::size_t d = 0; d < counts.size(); ++d) {
      const bool isPlace = d == 0;
      const std::string iterator = isPlace ? place : kept[d - 1].iterator;
      const Type iteratorType = isPlace ? outer.type : kept[d - 1].iteratorType;
      turns.push_back(b.var(names_.fresh("at_" + iterator), kInteger));
      body.push_back(b.declare(iterator, iteratorType, b.exactCast(iteratorType, b.add(begins[d], turns[d]))));
      if (!isPlace) renamed[iterator] = names_.fresh(iterator);
    }
    body.insert(body.end(), {b.declare(part, window.type, none, false), own,
                             b.assign(element(at), b.exactCast(window.kept, b.var(part, window.type)))});
    for (std::size_t d = counts.size(); d-- > 0;)
      body = {arena_.make<For>(
          outer.node->range, b.declare(as<VarRef>(turns[d])->name, kInteger, zero, false), b.less(turns[d], counts[d]),
          arena_.make<Unary>(outer.node->range, kInteger, UnaryOp::PreInc, turns[d]), b.block(std::move(body)))};
    body = {as<Stmt>(renameVariables(arena_, body[0], renamed))};

    // What combines them.
    const Expr *scalar = b.var(window.scalar, window.type), *counter = b.var(outer.variable, outer.type);
    const Expr *placeOf = added.empty() ? counter : b.add(b.var(added, outer.type), counter);
    const Stmt *update = b.assign(scalar, combined(b, window.op, scalar, b.cast(window.type, element(placeOf))));
    const For *combines = arena_.derive(outer.node, [&](For &copy) { copy.body = b.block({update}); });
    class Replacing final : public Mutator {
    public:
      Replacing(Arena &arena, const For *from, const For *to) : Mutator(arena), from_(from), to_(to) {}

    private:
      const Node *mutateFor(const For *f) override { return f == from_ ? to_ : rebuild(f); }
      const For *from_, *to_;
    };
    const For *top = nest_.loops[window.around[0]].node;
    const auto *changed = as<For>(Replacing(arena_, outer.node, combines)(top));

    std::vector<const Stmt *> stmts;
    for (const Stmt *s : nest_.codelet->body->stmts) {
      if (s == top) {
        stmts.insert(stmts.end(), before.begin(), before.end());
        stmts.push_back(
            arena_.make<Declare>(outer.node->range, parts, type, false, false, extents, noTunable, noValue));
        stmts.insert(stmts.end(), body.begin(), body.end());
      }
      stmts.push_back(s == top ? changed : s);
    }
    return arena_.derive(nest_.codelet, [&](Codelet &c) {
      c.conditions = conditions;
      c.body = b.block(std::move(stmts));
    });
  }

  /// Asks that there are no more elements than `most`, or than twice those of what the reduction reads; nothing where a
  /// container that the codelet is given has as many.
  bool fits(const For *loop, const std::vector<const Stmt *> &constants, const std::vector<const Expr *> &counts,
            std::vector<const Expr *> &conditions) {
    const Build b(arena_, nest_.codelet->range);
    std::vector<const Expr *> all;
    for (const Expr *count : counts) all.push_back(resolved(count, constants));
    std::set<std::pair<std::string, Int>> dimensions;
    std::set<std::string> of;
    for (const Expr *count : all)
      if (const auto *size = dyn<Size>(withoutCasts(count)); size && size->dim && literal(size->dim)) {
        of.insert(as<VarRef>(size->container)->name);
        dimensions.emplace(as<VarRef>(size->container)->name, *literal(size->dim));
      }
    if (of.size() == 1 && dimensions.size() == all.size()) return true;
    const Param *read = nullptr;
    for (const Param *p : nest_.codelet->params)
      if (p->type.isArray() && mentions(loop, p->name) && (!read || p->type.rank() > read->type.rank())) read = p;
    const Expr *limit = b.integer(kInteger, most_), *whole = nullptr;
    if (read) {
      const Expr *size = arena_.make<Size>(read->range, Type(Scalar::U64), b.var(read->name, read->type), whole);
      limit = b.max(limit, b.mul(b.cast(kInteger, size), b.integer(kInteger, 2)));
    }
    const Expr *product = nullptr;
    for (const Expr *count : all) {
      if (any<VarRef>(count, [&](const VarRef &v) {
            return std::none_of(nest_.codelet->params.begin(), nest_.codelet->params.end(),
                                [&](const Param *p) { return p->name == v.name; });
          }))
        return false;
      conditions.push_back(b.binary(BinaryOp::Le, count, limit)); // one after the other, so that no product wraps
      if (product) conditions.push_back(b.binary(BinaryOp::Le, b.mul(product, count), limit));
      product = product ? b.mul(product, count) : count;
    }
    return true;
  }

  const nest::Nest &nest_;
  nest::Dependences dependences_;
  bool reorder_;
  std::int64_t most_;
  Arena &arena_;
  std::set<std::string> assigned_;
  std::map<std::string, const Declare *> declared_;
  Names names_;
};

} // namespace

const Codelet *withSharedReductions(nest::Nests &nests, const Codelet &codelet, bool reorder, std::int64_t most,
                                    Arena &arena) {
  const nest::Nest *const nest = nests.of(codelet);
  return nest && nest->loops.size() > 2 ? SharedReductions(*nest, reorder, most, arena).run() : &codelet;
}

} // namespace tangram::divide
