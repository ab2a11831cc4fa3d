#include "tangram/nest/WrappedCounters.h"

#include "ClosedForms.h"
#include "CountersOfLoop.h"
#include "LinearForms.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Increments.h"
#include "tangram/nest/Statements.h"
#include "tangram/nest/Tiling.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tangram::nest {

using namespace ast;

namespace {

using Stmts = std::vector<const Stmt *>;

/// Puts what counters are in each iteration in their place.
class Wrapping final : public Mutator {
public:
  Wrapping(const Spectrum &spectrum, const Codelet &codelet, Arena &arena)
      : Mutator(arena), codelet_(codelet), forms_(spectrum, codelet, arena),
        assigned_(assignedVariables(codelet.body)) {
    names_.reserveAll(&codelet);
    std::map<std::string, unsigned> declared;
    walk(codelet.body, [&](const Declare &d) { ++declared[d.name]; });
    walk(codelet.body, [&](const Declare &d) {
      if (d.type.isScalar() && d.type.isInteger() && !d.type.isBool() && d.extents.empty() && !d.shared && !d.tunable &&
          declared[d.name] == 1)
        types_[d.name] = d.type;
    });
    walk(codelet.body, [&](const Unary &u) {
      const VarRef *v = u.op == UnaryOp::AddressOf ? rootVariable(u.operand) : nullptr;
      if (v) types_.erase(v->name);
    });
  }

  const Codelet *made() {
    const auto *body = as<Block>(mutate(codelet_.body));
    if (done_.empty()) return nullptr;
    return arena().derive(&codelet_, [&](Codelet &c) {
      c.body = withoutUnused(body);
      const std::vector<const Expr *> conditions = forms_.conditions();
      c.conditions.insert(c.conditions.end(), conditions.begin(), conditions.end());
    });
  }

private:
  struct Done {
    const For *loop = nullptr; // of the codelet
    std::vector<WrappedCounter> counters;
  };

  const Node *mutateFor(const For *loop) override {
    return inside([&] { return Mutator::mutateFor(loop); });
  }
  const Node *mutateWhile(const While *loop) override {
    return inside([&] { return Mutator::mutateWhile(loop); });
  }
  const Node *mutateDoWhile(const DoWhile *loop) override {
    return inside([&] { return Mutator::mutateDoWhile(loop); });
  }
  template <class Mutate> const Node *inside(Mutate &&mutate) {
    ++depth_;
    const Node *const result = mutate();
    --depth_;
    return result;
  }

  const Node *mutateBlock(const Block *block) override {
    Stmts stmts;
    for (std::size_t i = 0; i < block->stmts.size(); ++i) {
      blocks_.emplace_back(block, i);
      const auto *s = as<Stmt>(mutate(block->stmts[i]));
      const auto *loop = dyn<For>(s);
      if (!loop || !replace(*as<For>(block->stmts[i]), *loop, stmts)) stmts.push_back(s);
      blocks_.pop_back();
    }
    return stmts == block->stmts ? block : arena().derive(block, [&](Block &b) { b.stmts = std::move(stmts); });
  }

  /// Puts a loop without its counters behind `stmts`; false where it has none. `original`: as the codelet has it.
  bool replace(const For &original, const For &loop, Stmts &stmts) {
    std::string why;
    const std::optional<CountedLoop> counted = countedLoop(&loop, arena(), why);
    const std::optional<Int> step = counted ? literal(counted->step) : std::nullopt;
    const auto *first = counted ? as<Declare>(loop.init)->init : nullptr;
    const Stmts &body = loop.body->stmts;
    if (!step || std::any_of(body.begin(), body.end(), jumpsOut)) return false;
    std::set<std::string> changing = assignedVariables(loop.body), inside = declaredIn(body);
    std::map<std::string, CounterBegin> begins;
    for (const std::string &name : changing)
      if (types_.count(name) && !inside.count(name)) begins[name] = beginOf(name, original, stmts);
    changing.insert(inside.begin(), inside.end());
    changing.insert(counted->iterator);
    if (begins.empty()) return false;

    const LinearForms::Mark mark = forms_.mark();
    std::vector<WrappedCounter> counters;
    CountedTurns turns;
    for (bool again = true; again;) {
      forms_.undo(mark);
      forms_.within(changing);
      if (!forms_.term(first)) return false;
      turns = turnsOf(loop, *counted, *step);
      counters = countersOf(loop, begins, turns, left_, forms_);
      std::optional<std::string> none = unclearCounter(counters, loop);
      for (const WrappedCounter &c : counters)
        if (!none && !c.wraps && c.driver == kNone && !isRead(c, body)) none = c.name;
      again = none.has_value();
      if (none) begins.erase(*none);
    }
    if (counters.empty() || !rewrite(original, loop, *counted, *step, counters, turns, stmts)) {
      forms_.undo(mark);
      return false;
    }
    done_.push_back({&original, counters});
    return true;
  }

  /// Whether other statements of the loop read it; what they do not may be a sum.
  static bool isRead(const WrappedCounter &c, const Stmts &body) {
    for (std::size_t i = 0; i < body.size(); ++i)
      if (i != c.added && mentions(body[i], c.name)) return true;
    return false;
  }

  CountedTurns turnsOf(const For &loop, const CountedLoop &counted, Int step) {
    CountedTurns turns;
    turns.step = step > 0 ? step : -step;
    if (counted.type.bytes() <= 4) turns.most = Wide{1} << 32;
    const auto *cond = as<Binary>(loop.cond);
    const bool left = mentions(cond->lhs, counted.iterator);
    const BinaryOp op = left ? cond->op : mirrored(cond->op);
    const std::optional<LinearForm> begin = forms_.form(as<Declare>(loop.init)->init),
                                    end = forms_.form(left ? cond->rhs : cond->lhs);
    if (!begin || !end) return turns;
    turns.length = step > 0 ? *end - *begin : *begin - *end;
    if (op == BinaryOp::Le || op == BinaryOp::Ge) turns.length = *turns.length + LinearForm::of(1);
    return turns;
  }

  /// `original`: a loop of the codelet. `before`: what stands in front of it in its block.
  CounterBegin beginOf(const std::string &name, const For &original, const Stmts &before) {
    const Type &type = types_.at(name);
    forms_.within({});
    CounterBegin begin{type, *forms_.term(Build(arena()).var(name, type))};
    forms_.within(assigned_);
    for (auto s = before.rbegin(); s != before.rend(); ++s) {
      const auto *d = dyn<Declare>(*s);
      const bool declares = d && d->name == name;
      if (!declares && !changesVariable(*s, name)) continue;
      const Expr *value = declares ? d->init : setTo(*s, name);
      const std::optional<LinearForm> form = value && !hasEffects(value) ? forms_.form(value) : std::nullopt;
      if (form) begin.first = *form, begin.known = true;
      break;
    }
    if (begin.known) return begin;
    // What all others set it to.
    begin.elsewhere.emplace();
    const auto add = [&](const Expr *value) {
      const std::optional<LinearForm> form = value && !hasEffects(value) ? forms_.form(value) : std::nullopt;
      if (!form)
        begin.elsewhere.reset();
      else if (begin.elsewhere)
        begin.elsewhere->push_back(*form);
    };
    walk(codelet_.body, [&](const Node &n) {
      if (&n == &original) return WalkResult::Skip;
      if (const auto *loop = dyn<For>(&n))
        for (const Done &done : done_)
          for (const WrappedCounter &c : done.counters)
            if (done.loop == loop && c.name == name) {
              begin.likewise.push_back(&c);
              return WalkResult::Skip;
            }
      const auto *d = dyn<Declare>(&n);
      if (d && d->name == name) add(d->init);
      const auto *s = dyn<Evaluate>(&n);
      if (s && changesVariable(s, name)) add(setTo(s, name));
      const auto *e = dyn<Expr>(&n);
      if (e && !s && changesVariable(e, name)) { // in statements of another kind
        const auto *a = dyn<Assign>(e);
        const auto *v = a ? dyn<VarRef>(a->target) : nullptr;
        if (!a || a->op != AssignOp::Set || !v || v->name != name) begin.elsewhere.reset();
      }
      return WalkResult::Advance;
    });
    return begin;
  }

  /// The value of `name = value;`; null: it is something else.
  static const Expr *setTo(const Stmt *s, const std::string &name) {
    const Assign *set = variableSet(s);
    return set && as<VarRef>(set->target)->name == name ? set->value : nullptr;
  }

  /// Nothing but changes of these counters.
  static bool isOfCounters(const Stmt *s, const std::vector<WrappedCounter> &counters) {
    if (const auto *b = dyn<Block>(s))
      return std::all_of(b->stmts.begin(), b->stmts.end(), [&](const Stmt *in) { return isOfCounters(in, counters); });
    if (const auto *c = dyn<If>(s))
      return !hasEffects(c->cond) && isOfCounters(c->then, counters) &&
             (!c->otherwise || isOfCounters(c->otherwise, counters));
    if (const auto *w = dyn<While>(s)) return !hasEffects(w->cond) && isOfCounters(w->body, counters);
    const auto *e = dyn<Evaluate>(s);
    const auto *a = e ? dyn<Assign>(e->expr) : nullptr;
    const auto *u = e ? dyn<Unary>(e->expr) : nullptr;
    const auto *v = dyn<VarRef>(a ? a->target : u ? u->operand : nullptr);
    return v && (a ? !hasEffects(a->value) : changesOperand(u->op)) &&
           std::any_of(counters.begin(), counters.end(), [&](const WrappedCounter &c) { return c.name == v->name; });
  }

  bool rewrite(const For &original, const For &loop, const CountedLoop &counted, Int step,
               std::vector<WrappedCounter> &counters, const CountedTurns &turns, Stmts &stmts) {
    const Build build(arena(), loop.range);
    // The number of the iteration.
    const Expr *i = build.var(counted.iterator, counted.type), *first = as<Declare>(loop.init)->init;
    const bool plain = step == 1 && isLiteral(first, 0);
    const Expr *number = i;
    if (!plain) {
      const Type type = in64Bits(counted.type);
      const Expr *here = build.cast(type, i), *begin = build.cast(type, first);
      number = build.div(step > 0 ? build.sub(here, begin) : build.sub(begin, here),
                         build.integer(type, step > 0 ? step : -step));
    }
    const ClosedForms closed(forms_, counters, arena(), wideOf(counters, counted.type, plain));
    Stmts body;
    std::map<std::tuple<std::string, int, int>, std::string> named;
    const Stmts &old = loop.body->stmts;
    for (std::size_t p = 0; p < old.size(); ++p) {
      const bool steps = std::any_of(counters.begin(), counters.end(), [&](const WrappedCounter &c) {
        return c.added == p || c.brought == p || c.late == p;
      });
      if (steps && isOfCounters(old[p], counters)) continue;
      std::map<std::string, std::string> renamed;
      for (const WrappedCounter &c : counters) {
        if (!mentions(old[p], c.name)) continue;
        if (!closed.isKnown(c, p)) return false;
        const int added = closed.added(c, p), brought = c.wraps ? closed.brought(c, p) : added;
        const auto declare = [&] {
          const std::string name = names_.fresh(c.name);
          body.push_back(build.declare(name, c.type, closed.value(c, number, added, brought), !steps));
          return name;
        };
        if (steps) { // goes on from there, within the statement
          renamed[c.name] = declare();
          continue;
        }
        auto &name = named[{c.name, added, brought}];
        if (name.empty()) name = declare();
        renamed[c.name] = name;
      }
      body.push_back(renamed.empty() ? old[p] : as<Stmt>(renameVariables(arena(), old[p], renamed)));
    }
    const auto *made =
        arena().derive(&loop, [&](For &f) { f.body = arena().derive(loop.body, [&](Block &b) { b.stmts = body; }); });
    stmts.push_back(made);
    leave(original, *made, counted, plain, counters, turns, closed, old.size(), stmts);
    return true;
  }

  /// What the loop leaves in counters that somebody reads behind it. `behind`: all statements of its body.
  void leave(const For &original, const For &made, const CountedLoop &counted, bool plain,
             const std::vector<WrappedCounter> &counters, const CountedTurns &turns, const ClosedForms &closed,
             std::size_t behind, Stmts &stmts) {
    const Build build(arena(), made.range);
    std::vector<const WrappedCounter *> left;
    for (const WrappedCounter &c : counters)
      if (isReadBehind(c, original, made)) left.push_back(&c);
    if (left.empty()) return;
    CountersLeft all;
    const Expr *count = nullptr;
    if (turns.length && turns.step == 1 &&
        (forms_.holds(*turns.length) || (depth_ > 0 && forms_.require(*turns.length)))) {
      all.turns = turns.length;
      const Expr *end = forms_.single(*turns.length);
      count = plain && end ? end : forms_.expression(*turns.length, in64Bits(counted.type));
    } else {
      const std::string name = names_.fresh("turns");
      stmts.push_back(build.declare(name, counted.turns->type, counted.turns));
      count = build.var(name, counted.turns->type);
    }
    // Also where there is no iteration.
    bool always = std::none_of(counters.begin(), counters.end(), [](const WrappedCounter &c) { return c.supposed; });
    Stmts sets;
    for (auto c = left.rbegin(); c != left.rend(); ++c) { // what drives others behind these
      const int added = closed.added(**c, behind) - 1, brought = (*c)->wraps ? closed.brought(**c, behind) - 1 : added;
      always &= added == 0 && brought == 0;
      for (const WrappedCounter *d = *c; d; d = closed.driverOf(*d)) always &= !d->early;
      sets.push_back(build.assign(build.var((*c)->name, (*c)->type), closed.value(**c, count, added, brought)));
    }
    if (!always) {
      stmts.push_back(build.when(build.binary(BinaryOp::Gt, count, build.integer(count->type, 0)), std::move(sets)));
    } else if (depth_ > 0) {
      all.counters = counters;
      stmts.push_back(build.block(std::move(sets)));
      left_[stmts.back()] = std::move(all);
    } else {
      stmts.insert(stmts.end(), sets.begin(), sets.end());
    }
  }

  /// Whether a counter is read behind the loop that the last of `blocks_` is at.
  bool isReadBehind(const WrappedCounter &c, const For &original, const For &made) const {
    for (auto around = blocks_.rbegin(); around != blocks_.rend(); ++around) {
      const auto &[block, at] = *around;
      for (std::size_t i = at + 1; i < block->stmts.size(); ++i) {
        if (!mentions(block->stmts[i], c.name)) continue;
        const Expr *value = setTo(block->stmts[i], c.name);
        return !value || mentions(value, c.name);
      }
      if (depth_ > 0) break; // what stands in front comes again
    }
    if (depth_ == 0) return false;
    if (mentions(&made, c.name)) return true;
    std::size_t reads = 0;
    walk(codelet_.body, [&](const Node &n) {
      if (&n == &original) return WalkResult::Skip;
      const auto *v = dyn<VarRef>(&n);
      reads += v && v->name == c.name;
      const auto *e = dyn<Evaluate>(&n);
      if (e && setTo(e, c.name)) --reads;
      return WalkResult::Advance;
    });
    return reads > 0;
  }

  static Type in64Bits(const Type &iterator) { return iterator == Type(Scalar::U64) ? Scalar::U64 : Scalar::I64; }

  /// The type that distances are computed in: that of the iterator where they are its values.
  Type wideOf(const std::vector<WrappedCounter> &counters, const Type &iterator, bool plain) const {
    Type wide = in64Bits(iterator);
    bool same = plain && iterator.bytes() >= 4;
    for (const WrappedCounter &c : counters) {
      for (const LinearForm *f : {&c.size, &c.step, &c.first, &c.least})
        if (forms_.hasUnsigned64(*f)) wide = Scalar::U64;
      if (!c.wraps) continue;
      const std::optional<TypeLimits> size = forms_.limits(c.size);
      same &= !c.units && c.step == LinearForm::of(c.direction) && c.begun() == LinearForm{} &&
              c.least == LinearForm{} && (c.size.value() || forms_.single(c.size)) && size &&
              size->greatest <= TypeLimits::of(iterator).greatest;
    }
    return same ? iterator : wide;
  }

  /// Without counters that nobody reads any more, and with what loops leave as plain statements.
  const Block *withoutUnused(const Block *body) {
    std::map<std::string, std::size_t> reads;
    walk(body, [&](const VarRef &v) { ++reads[v.name]; });
    walk(body, [&](const Evaluate &e) {
      const Assign *set = variableSet(&e);
      if (set && !hasEffects(set->value)) --reads[as<VarRef>(set->target)->name];
    });
    std::set<std::string> unused;
    for (const Done &done : done_)
      for (const WrappedCounter &c : done.counters)
        if (reads[c.name] == 0) unused.insert(c.name);
    return as<Block>(Cleaning(arena(), unused, left_).mutate(body));
  }

  class Cleaning final : public Mutator {
  public:
    Cleaning(Arena &arena, const std::set<std::string> &unused, const std::map<const Stmt *, CountersLeft> &left)
        : Mutator(arena), unused_(unused), left_(left) {}

  private:
    const Node *mutateBlock(const Block *block) override {
      Stmts stmts;
      const auto add = [&](const Stmt *s) {
        const auto *d = dyn<Declare>(s);
        const Assign *set = variableSet(s); // as nobody reads it, it is changed in no other way
        const bool drops = (d && unused_.count(d->name) && !(d->init && hasEffects(d->init))) ||
                           (set && unused_.count(as<VarRef>(set->target)->name) && !hasEffects(set->value));
        if (!drops) stmts.push_back(as<Stmt>(mutate(s)));
      };
      for (const Stmt *s : block->stmts)
        if (left_.count(s))
          for (const Stmt *in : as<Block>(s)->stmts) add(in);
        else
          add(s);
      return stmts == block->stmts ? block : arena().derive(block, [&](Block &b) { b.stmts = std::move(stmts); });
    }

    const std::set<std::string> &unused_;
    const std::map<const Stmt *, CountersLeft> &left_;
  };

  const Codelet &codelet_;
  LinearForms forms_;
  std::set<std::string> assigned_;
  std::map<std::string, Type> types_; // of scalars that are declared in one place
  std::map<const Stmt *, CountersLeft> left_;
  std::vector<Done> done_;
  Names names_;
  std::vector<std::pair<const Block *, std::size_t>>
      blocks_;         // around, as the codelet has them, and statements of these
  unsigned depth_ = 0; // loops around
};

} // namespace

const Codelet *withWrappedCounters(const Spectrum &spectrum, const Codelet *codelet, Arena &arena) {
  if (const Codelet *made = Wrapping(spectrum, *withIncrementsApart(codelet, arena), arena).made()) return made;
  return codelet;
}

} // namespace tangram::nest
