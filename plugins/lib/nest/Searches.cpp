#include "tangram/nest/Searches.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Casts.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Continues.h"
#include "tangram/nest/Read.h"
#include "tangram/nest/Statements.h"
#include "tangram/nest/Tiling.h"

#include <algorithm>
#include <functional>
#include <set>

namespace tangram::nest {

using namespace ast;

namespace {

using Stmts = std::vector<const Stmt *>;

const Type kWide = Scalar::I64;

bool isAnyLoop(const Node &n) { return isa<For>(&n) || isa<While>(&n) || isa<DoWhile>(&n); }

/// Whether a statement leaves the loop that it stands in: by a `break` of its own, or a `return`.
bool leaves(const Node *tree) {
  if (contains<Return>(tree)) return true;
  return !walk(tree, [](const Stmt &s) {
    if (isAnyLoop(s) || isa<Switch>(&s)) return WalkResult::Skip;
    return isa<Break>(&s) ? WalkResult::Stop : WalkResult::Advance;
  });
}

bool isExit(const Stmt *s) { return isa<Break>(s) || isa<Return>(s); }

bool alwaysLeaves(const Stmts &stmts) {
  if (stmts.empty()) return false;
  if (const auto *choice = dyn<If>(stmts.back()))
    return choice->otherwise && alwaysLeaves(choice->then->stmts) && alwaysLeaves(choice->otherwise->stmts);
  if (const auto *block = dyn<Block>(stmts.back())) return alwaysLeaves(block->stmts);
  return isExit(stmts.back());
}

/// Statements of which what stands behind `if (c) { ...; break; }` is the other way of the condition, and exits are
/// what `exit` makes of them, together with what stands in front of them. Nothing where a part may leave in another
/// way. `certain`: it is known that one of the exits is taken, so that what leads to the last one holds.
class Exits {
public:
  using Exit = std::function<Stmts(Stmts before, const Stmt *exit)>;
  Exits(Arena &arena, bool certain, Exit exit) : arena_(arena), certain_(certain), exit_(std::move(exit)) {}

  std::optional<Stmts> without(const Stmts &stmts) const {
    Stmts out;
    for (std::size_t k = 0; k < stmts.size(); ++k) {
      const Stmt *s = stmts[k];
      if (isExit(s)) return exit_(std::move(out), s);
      if (!leaves(s)) {
        out.push_back(s);
        continue;
      }
      const Stmts rest(stmts.begin() + static_cast<std::ptrdiff_t>(k) + 1, stmts.end());
      const auto *choice = dyn<If>(s);
      if (!choice) {
        const auto *block = dyn<Block>(s);
        const std::optional<Stmts> inner = block && rest.empty() ? without(block->stmts) : std::nullopt;
        if (!inner) return {};
        out.push_back(Build(arena_, s->range).block(*inner));
        return out;
      }
      Stmts then = choice->then->stmts, otherwise = choice->otherwise ? choice->otherwise->stmts : Stmts();
      if (!rest.empty()) {
        if (!alwaysLeaves(then) && !alwaysLeaves(otherwise)) return {};
        Stmts &stays = alwaysLeaves(then) ? otherwise : then;
        stays.insert(stays.end(), rest.begin(), rest.end());
      }
      std::optional<Stmts> first = without(then), second = without(otherwise);
      if (!first || !second) return {};
      const Build build(arena_, choice->range);
      const bool byFirst = std::any_of(then.begin(), then.end(), leaves),
                 bySecond = std::any_of(otherwise.begin(), otherwise.end(), leaves);
      if (certain_ && byFirst != bySecond) {
        out.push_back(build.block(byFirst ? *first : *second));
        return out;
      }
      if (!first->empty())
        out.push_back(build.when(choice->cond, std::move(*first), std::move(*second)));
      else if (!second->empty())
        out.push_back(build.when(build.logicalNot(choice->cond), std::move(*second)));
      return out;
    }
    return out;
  }

private:
  Arena &arena_;
  bool certain_;
  Exit exit_;
};

void conjuncts(const Expr *cond, std::vector<const Expr *> &out) {
  if (const auto *both = dyn<Binary>(cond); both && both->op == BinaryOp::LogicalAnd) {
    conjuncts(both->lhs, out);
    conjuncts(both->rhs, out);
  } else {
    out.push_back(cond);
  }
}

/// i of ++i and i++.
const VarRef *countedUp(const Node *step) {
  if (const auto *s = dyn<Evaluate>(step)) step = s->expr;
  const auto *u = dyn<Unary>(step);
  const bool up = u && (u->op == UnaryOp::PreInc || u->op == UnaryOp::PostInc);
  const auto *v = up ? dyn<VarRef>(u->operand) : nullptr;
  return v && v->type.isInteger() && !v->type.isBool() ? v : nullptr;
}

/// Which variables may hold loaded data. Iterators of loops take values of their ranges, wherever these begin.
class Loaded {
public:
  explicit Loaded(const Codelet &codelet) {
    std::set<const Stmt *> iterators;
    walk(codelet.body, [&](const For &loop) { iterators.insert(loop.init); });
    for (bool more = true; more;) {
      const std::size_t before = names_.size();
      walk(
          codelet.body,
          [&](const Declare &d) {
            if (!iterators.count(&d) && d.init && in(d.init)) names_.insert(d.name);
          },
          [&](const Assign &a) {
            const VarRef *root = rootVariable(a.target);
            if (root && !root->type.isArray() && in(a.value)) names_.insert(root->name);
          });
      more = names_.size() != before;
    }
  }
  void add(const std::string &name) { names_.insert(name); }
  bool in(const Node *tree) const {
    return contains<Subscript>(tree) || any<VarRef>(tree, [&](const VarRef &v) { return names_.count(v.name) != 0; });
  }

private:
  std::set<std::string> names_;
};

/// Whether a value follows from a scalar that callers give: such a bound says nothing of how far containers go.
bool isGiven(const Expr *e, const Codelet &codelet) {
  std::set<std::string> from;
  const auto add = [&](const Expr *value) {
    walk(value, [&](const VarRef &v) {
      if (v.type.isScalar()) from.insert(v.name);
    });
  };
  add(e);
  for (std::size_t before = 0; before != from.size();) {
    before = from.size();
    walk(
        codelet.body,
        [&](const Declare &d) {
          if (d.init && from.count(d.name)) add(d.init);
        },
        [&](const Assign &a) {
          const auto *v = dyn<VarRef>(a.target);
          if (v && from.count(v->name)) add(a.value);
        });
  }
  return std::any_of(codelet.params.begin(), codelet.params.end(),
                     [&](const Param *p) { return from.count(p->name) != 0; });
}

/// Whether iterations behind the first match may be carried out: they change what is their own, end, and reach for what
/// the loop's range says alone.
class Speculation {
public:
  Speculation(const Codelet &codelet, const Module &module, const For &loop, Arena &arena)
      : codelet_(codelet), module_(module), loop_(loop), arena_(arena), loaded_(codelet) {}

  bool holds(const Stmts &stmts) {
    const bool reaches = std::any_of(stmts.begin(), stmts.end(), [](const Stmt *s) { return contains<Subscript>(s); });
    const bool given = isGiven(loop_.cond, codelet_) || isGiven(as<Declare>(loop_.init)->init, codelet_);
    if (reaches && given) return false;
    own_ = declaredIn(stmts);
    for (const Stmt *s : stmts)
      walk(s, [&](const For &inner) {
        if (loaded_.in(inner.init) || loaded_.in(inner.cond)) loaded_.add(as<Declare>(inner.init)->name);
      });
    return std::all_of(stmts.begin(), stmts.end(), [&](const Stmt *s) {
      return walk(s, [&](const Node &n) { return allowed(n) ? WalkResult::Advance : WalkResult::Stop; });
    });
  }

private:
  bool allowed(const Node &n) const {
    if (const auto *d = dyn<Declare>(&n)) return !d->type.isArray() && !d->shared && !d->tunable;
    if (const auto *inner = dyn<For>(&n)) {
      std::string why;
      return countedLoop(inner, arena_, why).has_value();
    }
    if (const auto *a = dyn<Assign>(&n)) return isOwn(a->target);
    if (const auto *u = dyn<Unary>(&n))
      return changesOperand(u->op) ? isOwn(u->operand) : u->op != UnaryOp::AddressOf && u->op != UnaryOp::Deref;
    if (const auto *call = dyn<Call>(&n))
      return !changesSomething(call, module_) &&
             std::none_of(call->args.begin(), call->args.end(), [](const Expr *e) { return e->type.isArray(); });
    if (const auto *s = dyn<Subscript>(&n))
      return std::none_of(s->indices.begin(), s->indices.end(), [&](const Expr *i) { return loaded_.in(i); });
    if (const auto *b = dyn<Binary>(&n)) {
      const bool divides = (b->op == BinaryOp::Div || b->op == BinaryOp::Rem) && b->type.isInteger();
      return !divides || isDivisor(b->rhs);
    }
    return !isa<While>(&n) && !isa<DoWhile>(&n) && !isa<Switch>(&n) && !isa<Continue>(&n) && !isa<Break>(&n) &&
           !isa<Return>(&n) && !isa<Atomic>(&n) && !isa<SpectrumCall>(&n) && !isa<Map>(&n) && !isa<MatrixMultiply>(&n);
  }

  bool isOwn(const Expr *place) const {
    const VarRef *root = rootVariable(place);
    return root && own_.count(root->name) != 0;
  }

  /// A number that is not 0, one that stands still, so that the first iteration divides by it, or an iterator of
  /// numbers above 0.
  bool isDivisor(const Expr *e) const {
    if (const std::optional<Int> number = literal(withoutCasts(e))) return *number != 0;
    const auto *iterator = as<Declare>(loop_.init);
    const auto *v = dyn<VarRef>(withoutCasts(e));
    if (v && v->name == iterator->name) {
      const std::optional<Int> first = literal(withoutCasts(iterator->init));
      return first && *first > 0 && countedUp(loop_.step);
    }
    return !loaded_.in(e) &&
           !any<VarRef>(e, [&](const VarRef &w) { return w.name == iterator->name || own_.count(w.name) != 0; });
  }

  const Codelet &codelet_;
  const Module &module_;
  const For &loop_;
  Arena &arena_;
  Loaded loaded_;
  std::set<std::string> own_;
};

class Searching final : public Mutator {
public:
  Searching(const Codelet &codelet, const Module &module, Arena &arena)
      : Mutator(arena), codelet_(codelet), module_(module) {
    names_.reserveAll(&codelet);
  }

private:
  const Node *mutateFor(const For *loop) override {
    const auto *made = as<For>(rebuild(loop));
    if (!isa<Declare>(made->init)) {
      const bool plain = !made->init || isa<Evaluate>(made->init);
      const VarRef *iterator = plain ? countedUp(made->step) : nullptr;
      const For *counted =
          iterator ? withOwnIterator(made->range, made->cond, *iterator, made->body->stmts, made->init) : nullptr;
      return counted ? searched(counted) : made;
    }
    if (const For *plain = withFlagAsBreak(made)) return searched(plain);
    if (const For *plain = withBreaks(made)) return searched(plain);
    return searched(made);
  }

  const Node *mutateWhile(const While *loop) override {
    const auto *made = as<While>(rebuild(loop));
    Stmts body = made->body->stmts;
    const VarRef *iterator = body.empty() ? nullptr : countedUp(body.back());
    if (!iterator) return made;
    body.pop_back();
    if (std::any_of(body.begin(), body.end(), continues)) return made;
    const For *counted = withOwnIterator(made->range, made->cond, *iterator, body, nullptr);
    return counted ? searched(counted) : made;
  }

  static bool continues(const Stmt *s) {
    return !walk(s, [](const Stmt &inner) {
      if (isAnyLoop(inner)) return WalkResult::Skip;
      return isa<Continue>(&inner) ? WalkResult::Stop : WalkResult::Advance;
    });
  }

  /// The bound that the iterator is compared with, `i < end`, and what else the loop asks each time round.
  struct Condition {
    const Binary *bound = nullptr;
    std::vector<const Expr *> others;
  };
  static std::optional<Condition> conditionOf(const Expr *cond, const std::string &iterator) {
    Condition result;
    std::vector<const Expr *> all;
    if (cond) conjuncts(cond, all);
    for (const Expr *e : all) {
      const auto *b = dyn<Binary>(e);
      const auto *v = b ? dyn<VarRef>(withoutCasts(b->lhs)) : nullptr;
      if (!result.bound && v && v->name == iterator && isOrdering(b->op) && !mentions(b->rhs, iterator))
        result.bound = b;
      else
        result.others.push_back(e);
    }
    return result.bound ? std::optional(result) : std::nullopt;
  }

  /// while (i < n && c) { S; ++i; }   as   from = i; i = max(i, n); for (k = from; k < n; ++k) { if (!c) { i = k;
  /// break; } S }
  const For *withOwnIterator(SourceRange where, const Expr *cond, const VarRef &iterator, const Stmts &body,
                             const Stmt *init) {
    const std::optional<Condition> condition = conditionOf(cond, iterator.name);
    const Build build(arena(), where);
    const Block *inside = build.block(body);
    if (!condition || condition->bound->op != BinaryOp::Lt || changesSomething(cond, module_) ||
        assignedVariables(inside).count(iterator.name) || (condition->others.empty() && !leaves(inside)) ||
        changes(inside, condition->bound->rhs))
      return nullptr;
    const Expr *counter = build.var(names_.fresh(iterator.name + "_at"), iterator.type);
    const Expr *from = build.var(names_.fresh(iterator.name + "_from"), iterator.type);
    const auto here = [&](const auto *tree) {
      return substituted(arena(), tree,
                         [&](const VarRef *v) -> const Expr * { return v->name == iterator.name ? counter : v; });
    };
    Stmts stmts;
    for (const Expr *other : condition->others)
      stmts.push_back(build.when(build.logicalNot(here(other)), {arena().make<Break>(where)}));
    for (const Stmt *s : body) stmts.push_back(here(s));
    const Stmt *ends = build.assign(&iterator, counter);
    const Block *left = EndingWith(arena(), ends)(build.block(std::move(stmts)));
    const auto *loop = arena().make<For>(where, build.declare(as<VarRef>(counter)->name, iterator.type, from, false),
                                         here(static_cast<const Expr *>(condition->bound)),
                                         arena().make<Unary>(where, iterator.type, UnaryOp::PreInc, counter), left);
    if (!isSearch(loop)) return nullptr;
    if (init) emitBefore(init);
    emitBefore(build.declare(as<VarRef>(from)->name, iterator.type, &iterator));
    emitBefore(
        build.when(condition->bound, {build.assign(&iterator, build.cast(iterator.type, condition->bound->rhs))}));
    return loop;
  }

  /// A statement in front of each `break` of the loop around.
  class EndingWith final : public Mutator {
  public:
    EndingWith(Arena &arena, const Stmt *end) : Mutator(arena), end_(end) {}

  private:
    const Node *mutateBreak(const Break *node) override {
      emitBefore(end_);
      return node;
    }
    const Node *mutateFor(const For *loop) override { return loop; }
    const Node *mutateWhile(const While *loop) override { return loop; }
    const Node *mutateDoWhile(const DoWhile *loop) override { return loop; }
    const Node *mutateSwitch(const Switch *node) override { return node; }
    const Stmt *end_;
  };

  static bool changes(const Node *tree, const Expr *e) {
    std::set<std::string> changed = assignedVariables(tree);
    walk(tree, [&](const Assign &a) {
      if (const VarRef *root = rootVariable(a.target)) changed.insert(root->name);
    });
    return any<VarRef>(e, [&](const VarRef &v) { return changed.count(v.name) != 0; });
  }

  /// for (i...; i < n && c; ++i) S   as   for (i...; i < n; ++i) { if (!c) break; S }
  const For *withBreaks(const For *loop) {
    const std::optional<Condition> condition = conditionOf(loop->cond, as<Declare>(loop->init)->name);
    if (!condition || condition->others.empty() || changesSomething(loop->cond, module_)) return nullptr;
    const Build build(arena(), loop->range);
    Stmts body;
    for (const Expr *other : condition->others)
      body.push_back(build.when(build.logicalNot(other), {arena().make<Break>(loop->range)}));
    body.insert(body.end(), loop->body->stmts.begin(), loop->body->stmts.end());
    const For *made = withBody(loop, *condition, std::move(body));
    return isSearch(made) ? made : nullptr;
  }

  const For *withBody(const For *loop, const Condition &condition, Stmts body) {
    return arena().derive(loop, [&](For &copy) {
      copy.cond = condition.bound;
      copy.body = Build(arena(), loop->range).block(std::move(body));
    });
  }

  /// for (i...; i < n && !found; ++i) { S; if (c) { found = true; T } }   as
  /// for (i...; i < n; ++i) { if (c0) break; S; if (c) { found = true; T; break; } }   where c0: it was found before.
  const For *withFlagAsBreak(const For *loop) {
    const std::optional<Condition> condition = conditionOf(loop->cond, as<Declare>(loop->init)->name);
    if (!condition || condition->others.size() != 1 || changesSomething(loop->cond, module_)) return nullptr;
    const Expr *goes = condition->others[0];
    const auto *negated = dyn<Unary>(goes);
    const auto *flag = dyn<VarRef>(negated && negated->op == UnaryOp::Not ? negated->operand : goes);
    if (!flag || !flag->type.isBool()) return nullptr;
    std::size_t all = 0, found = 0;
    walk(loop->body, [&](const VarRef &v) { all += v.name == flag->name; });
    Stmts body = leavingAt(loop->body->stmts, flag->name, negated != nullptr, found);
    if (found == 0 || all != found) return nullptr;
    const Build build(arena(), loop->range);
    const Expr *before = build.var(names_.fresh(flag->name + "_before"), flag->type);
    const Expr *stays = negated ? before : build.logicalNot(before);
    body.insert(body.begin(), build.when(stays, {arena().make<Break>(loop->range)}));
    const For *made = withBody(loop, *condition, std::move(body));
    if (!isSearch(made)) return nullptr;
    emitBefore(build.declare(as<VarRef>(before)->name, flag->type, flag));
    return made;
  }

  /// With a `break` behind each branch at the end that sets the flag to `value`.
  Stmts leavingAt(const Stmts &stmts, const std::string &flag, bool value, std::size_t &found) {
    Stmts result = stmts;
    if (stmts.empty()) return result;
    const bool sets = std::any_of(stmts.begin(), stmts.end(), [&](const Stmt *s) {
      const Assign *set = variableSet(s);
      return set && as<VarRef>(set->target)->name == flag && isLiteral(withoutCasts(set->value), value);
    });
    if (sets) {
      ++found;
      result.push_back(arena().make<Break>(stmts.back()->range));
    } else if (const auto *choice = dyn<If>(stmts.back())) {
      const Build build(arena(), choice->range);
      const Block *then = build.block(leavingAt(choice->then->stmts, flag, value, found));
      const Block *otherwise =
          choice->otherwise ? build.block(leavingAt(choice->otherwise->stmts, flag, value, found)) : nullptr;
      result.back() = arena().derive(choice, [&](If &copy) {
        copy.then = then;
        copy.otherwise = otherwise;
      });
    }
    return result;
  }

  /// The number of the first iteration that leaves the loop, as what the iterator is compared as.
  struct First {
    const Expr *number = nullptr, *compared = nullptr, *beyond = nullptr; // beyond: where none does
    BinaryOp sooner = BinaryOp::Lt;
  };

  std::optional<First> firstOf(const For *loop, const std::string &name) {
    const Build build(arena(), loop->range);
    std::string why;
    // What it does when it is left changes no bound.
    if (!countedLoop(arena().derive(loop, [&](For &copy) { copy.body = build.block({}); }), arena(), why)) return {};
    const auto *iterator = as<Declare>(loop->init);
    const std::optional<Condition> condition = conditionOf(loop->cond, iterator->name);
    if (!condition || assignedVariables(loop->body).count(iterator->name)) return {};
    const auto [lhs, rhs, op] = std::tuple(condition->bound->lhs, condition->bound->rhs, condition->bound->op);
    First first;
    const bool up = op == BinaryOp::Lt || op == BinaryOp::Le, strict = op == BinaryOp::Lt || op == BinaryOp::Gt;
    const Type type = strict ? rhs->type : kWide;
    if (!strict && rhs->type.bytes() > 4 && !literal(withoutCasts(rhs))) return {}; // one more might wrap around
    const Expr *one = build.integer(kWide, 1);
    first.compared = build.cast(type, lhs);
    first.beyond = strict ? rhs : up ? build.add(build.cast(kWide, rhs), one) : build.sub(build.cast(kWide, rhs), one);
    first.number = build.var(name, type);
    first.sooner = up ? BinaryOp::Lt : BinaryOp::Gt;
    return first;
  }

  /// What an iteration does to find out whether it leaves the loop, and then `mark`.
  std::optional<Stmts> finding(const For *loop, const Stmt *mark) {
    const Exits exits(arena(), false, [&](Stmts, const Stmt *) { return Stmts{mark}; });
    return exits.without(loop->body->stmts);
  }

  bool isSearch(const For *loop) {
    const Build build(arena(), loop->range);
    const std::optional<First> first = leaves(loop->body) ? firstOf(loop, "") : std::nullopt;
    const std::optional<Stmts> turn = first ? finding(loop, build.block({})) : std::nullopt;
    return turn && Speculation(codelet_, module_, *loop, arena()).holds(*turn);
  }

  const Stmt *searched(const For *loop) {
    if (!isSearch(loop)) return loop;
    const Build build(arena(), loop->range);
    const auto *iterator = as<Declare>(loop->init);
    const std::string name = names_.fresh("first_" + iterator->name);
    const First first = *firstOf(loop, name);
    const Stmt *mark = build.when(build.binary(first.sooner, first.compared, first.number),
                                  {build.assign(first.number, first.compared)});
    const Block *turn = build.block(*finding(loop, mark));
    emitBefore(build.declare(name, first.number->type, first.beyond, false));
    emitBefore(arena().derive(loop, [&](For &copy) { copy.body = turn; }));
    const Exits exits(arena(), true, [](Stmts before, const Stmt *exit) {
      if (isa<Return>(exit)) before.push_back(exit);
      return before;
    });
    Stmts then{build.declare(iterator->name, iterator->type, build.exactCast(iterator->type, first.number))};
    const std::optional<Stmts> behind = exits.without(loop->body->stmts);
    then.insert(then.end(), behind->begin(), behind->end());
    const auto *own = as<Block>(withOwnNames(arena(), build.block(std::move(then)), names_));
    return build.when(build.binary(first.sooner, first.number, first.beyond), own->stmts);
  }

  const Codelet &codelet_;
  const Module &module_;
  Names names_;
};

/// A codelet that returns at its end alone; nothing where it cannot be said so.
const Codelet *withOneReturn(const Codelet *codelet, Arena &arena) {
  const Stmts &stmts = codelet->body->stmts;
  const auto isEarly = [&](const Stmt *s) { // loops that are left by one as before stay as they are
    return !isa<Return>(s) && !walk(s, [](const Stmt &inner) {
      if (isAnyLoop(inner)) return WalkResult::Skip;
      return isa<Return>(&inner) ? WalkResult::Stop : WalkResult::Advance;
    });
  };
  const bool early = std::any_of(stmts.begin(), stmts.end(), isEarly);
  if (!early) return codelet;
  const Build build(arena, codelet->body->range);
  Names names;
  names.reserveAll(codelet);
  const Return *valued = nullptr;
  walk(codelet->body, [&](const Return &r) {
    if (r.value) valued = &r;
  });
  const Expr *result = valued ? build.var(names.fresh("result"), valued->value->type) : nullptr;
  if (result && !result->type.isScalar()) return nullptr;
  const Exits exits(arena, false, [&](Stmts before, const Stmt *exit) {
    if (const auto *r = dyn<Return>(exit); r && r->value) before.push_back(build.assign(result, r->value));
    return before;
  });
  std::optional<Stmts> body = exits.without(stmts);
  if (!body) return nullptr;
  if (result) {
    body->insert(body->begin(), build.declare(as<VarRef>(result)->name, result->type, build.zero(result->type), false));
    body->push_back(arena.make<Return>(codelet->body->range, result));
  }
  return arena.derive(codelet, [&](Codelet &c) { c.body = build.block(std::move(*body)); });
}

/// if (i < first) first = i;
const VarRef *firstIn(const Node &n, const std::string &iterator) {
  const auto *choice = dyn<If>(&n);
  const auto *compare = choice ? dyn<Binary>(choice->cond) : nullptr;
  const auto *only = choice && choice->then->stmts.size() == 1 ? dyn<Evaluate>(choice->then->stmts[0]) : nullptr;
  const auto *set = only ? dyn<Assign>(only->expr) : nullptr;
  const auto *number = compare ? dyn<VarRef>(withoutCasts(compare->lhs)) : nullptr;
  const bool found = set && number && !choice->otherwise && number->name == iterator && compare->op == BinaryOp::Lt &&
                     set->op == AssignOp::Set && equal(compare->rhs, set->target) && equal(compare->lhs, set->value);
  return found ? dyn<VarRef>(set->target) : nullptr;
}

bool changesMore(const Node &n, const std::set<std::string> &own) {
  const Expr *place = nullptr;
  if (const auto *a = dyn<Assign>(&n)) place = a->target;
  if (const auto *u = dyn<Unary>(&n); u && changesOperand(u->op)) place = u->operand;
  const auto *call = dyn<Call>(&n);
  const VarRef *root = place ? rootVariable(place) : nullptr;
  return (place && (!root || own.count(root->name) == 0)) || (call && hasEffects(call)) || isa<Atomic>(&n) ||
         isa<SpectrumCall>(&n) || isa<Map>(&n) || isa<MatrixMultiply>(&n);
}

class EndingAtFirst final : public Mutator {
public:
  EndingAtFirst(Arena &arena, const std::string &iterator) : Mutator(arena), iterator_(iterator) {}

private:
  const Node *mutateIf(const If *choice) override {
    if (!firstIn(*choice, iterator_)) return Mutator::mutateIf(choice);
    return Build(arena(), choice->range).block({choice, arena().make<Break>(choice->range)});
  }
  const Node *mutateFor(const For *loop) override { return loop; }
  const std::string &iterator_;
};

class EndingLoops final : public Mutator {
public:
  using Mutator::Mutator;

private:
  const Node *mutateFor(const For *loop) override {
    const auto *made = as<For>(rebuild(loop));
    const auto *iterator = dyn<Declare>(made->init);
    const VarRef *counted = iterator ? countedUp(made->step) : nullptr;
    if (!counted || counted->name != iterator->name) return made;
    const Stmts body = endingAtFirst(made->body->stmts, iterator->name, arena());
    if (body == made->body->stmts) return made;
    return arena().derive(made, [&](For &copy) { copy.body = Build(arena(), made->range).block(body); });
  }
};

} // namespace

Stmts endingAtFirst(const Stmts &body, const std::string &iterator, Arena &arena) {
  const std::set<std::string> own = declaredIn(body);
  const VarRef *first = nullptr;
  const auto alone = [&](const Node &n) {
    if (const VarRef *found = firstIn(n, iterator); found && (!first || first->name == found->name)) {
      first = found;
      return WalkResult::Skip;
    }
    return changesMore(n, own) ? WalkResult::Stop : WalkResult::Advance;
  };
  if (!std::all_of(body.begin(), body.end(), [&](const Stmt *s) { return walk(s, alone); }) || !first) return body;
  EndingAtFirst ending(arena, iterator);
  Stmts result;
  for (const Stmt *s : body) result.push_back(ending(s));
  return result;
}

Stmts withSearchesEnding(const Stmts &stmts, Arena &arena) {
  EndingLoops ending(arena);
  Stmts result;
  for (const Stmt *s : stmts) result.push_back(ending(s));
  return result;
}

const Codelet *withSearches(const Codelet *codelet, const Module &module, Arena &arena) {
  const Codelet *plain = withoutContinues(codelet, arena);
  const auto *made = Searching(*plain, module, arena)(plain);
  const Codelet *whole = made == plain ? nullptr : withOneReturn(made, arena);
  return whole ? whole : codelet;
}

} // namespace tangram::nest
