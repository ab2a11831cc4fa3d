#include "tangram/nest/Read.h"
#include "tangram/nest/Range.h"

#include "Accesses.h"
#include "Places.h"
#include "tangram/ast/Build.h"
#include "tangram/ast/Builtins.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Functions.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Casts.h"
#include "tangram/nest/Selections.h"
#include "tangram/nest/Statements.h"
#include "tangram/nest/Updates.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram::nest {

using namespace ast;

namespace {

/// for (T i = begin; cond; i += step)
struct Counted {
  const Declare *iterator = nullptr;
  std::int64_t step = 0;
  const Expr *cond = nullptr;
  /// for (T i = n; i-- > 0;): the first value is one less, and the condition holds down to zero.
  bool decrementsFirst = false;
};

bool isPlainly(const Expr *e, const std::string &name) {
  const auto *v = dyn<VarRef>(e);
  return v && v->name == name;
}

std::optional<std::int64_t> stepOf(const Expr *e, const std::string &iterator) {
  if (const auto *u = dyn<Unary>(e); u && isPlainly(u->operand, iterator)) {
    if (u->op == UnaryOp::PreInc || u->op == UnaryOp::PostInc) return 1;
    if (u->op == UnaryOp::PreDec || u->op == UnaryOp::PostDec) return -1;
    return std::nullopt;
  }
  const auto *a = dyn<Assign>(e);
  if (!a || !isPlainly(a->target, iterator)) return std::nullopt;
  std::optional<Int> by;
  bool down = false;
  if (a->op == AssignOp::Add || a->op == AssignOp::Sub) {
    by = literal(a->value);
    down = a->op == AssignOp::Sub;
  } else if (const auto *b = dyn<Binary>(a->value);
             b && a->op == AssignOp::Set && (b->op == BinaryOp::Add || b->op == BinaryOp::Sub)) {
    down = b->op == BinaryOp::Sub;
    if (isPlainly(b->lhs, iterator)) by = literal(b->rhs);
    if (!by && !down && isPlainly(b->rhs, iterator)) by = literal(b->lhs);
  }
  if (!by || *by == 0 || *by > 1 << 30 || *by < -(1 << 30)) return std::nullopt;
  return down ? -*by : *by;
}

std::optional<Counted> counted(const For &loop, const Module &module, std::string &why) {
  Counted c;
  c.iterator = dyn<Declare>(loop.init);
  why = "the loop does not declare an integer that it counts";
  if (!c.iterator || !c.iterator->type.isInteger() || c.iterator->type.isBool() || !c.iterator->init ||
      !c.iterator->extents.empty())
    return std::nullopt;
  if (!loop.cond) {
    why = "the loop has no condition";
    return std::nullopt;
  }
  if (assignedVariables(loop.body).count(c.iterator->name)) {
    why = fmt::format("the loop changes '{}' in its body", c.iterator->name);
    return std::nullopt;
  }
  c.cond = loop.cond;
  why = fmt::format("the step of '{}' is not a number", c.iterator->name);
  if (!loop.step) {
    const auto *b = dyn<Binary>(loop.cond);
    const auto *u = b ? dyn<Unary>(b->lhs) : nullptr;
    bool zero = b && isLiteral(withoutCasts(b->rhs), 0);
    bool down = u && u->op == UnaryOp::PostDec && isPlainly(u->operand, c.iterator->name);
    if (!zero || !down || (b->op != BinaryOp::Gt && b->op != BinaryOp::Ne)) return std::nullopt;
    c.step = -1;
    c.decrementsFirst = true;
    return c;
  }
  if (changesSomething(loop.cond, module)) {
    why = "the condition of the loop changes something";
    return std::nullopt;
  }
  std::optional<std::int64_t> step = stepOf(loop.step, c.iterator->name);
  if (!step) return std::nullopt;
  c.step = *step;
  return c;
}

/// Whether every jump out of the body is an `if (cond) continue;` of its own.
bool onlySkips(const Block *body) {
  return std::all_of(body->stmts.begin(), body->stmts.end(),
                     [](const Stmt *s) { return continueIf(s) || !jumpsOut(s); });
}

bool hasLoops(const Node *n) {
  return contains<For>(n) || contains<While>(n) || contains<DoWhile>(n) || contains<Map>(n) ||
         contains<SpectrumCall>(n);
}

class Reader {
public:
  Reader(Nest &nest, const Module &module, Places places)
      : nest_(nest), affine_(nest, *nest.codelet, module), accesses_(nest, affine_, module, places) {}

  void run() {
    block(nest_.codelet->body->stmts, 0, nest_.items);
    completePlaces(nest_);
    // What was put into sets before it was known.
    auto key = [](const Remark &r) { return std::tie(r.range.line, r.range.column, r.message); };
    std::vector<Remark> once;
    for (Remark &r : nest_.remarks)
      if (std::none_of(once.begin(), once.end(), [&](const Remark &o) { return key(o) == key(r); }))
        once.push_back(std::move(r));
    nest_.remarks = std::move(once);
  }

private:
  void block(const std::vector<const Stmt *> &stmts, std::size_t first, std::vector<Item> &out) {
    for (std::size_t i = first; i < stmts.size(); ++i) {
      const If *skip = continueIf(stmts[i]);
      if (!skip) {
        statement(stmts[i], out);
        continue;
      }
      // The rest is behind the opposite condition.
      if (i + 1 < stmts.size())
        guarded(skip, [](auto &&) {}, [&](std::vector<Item> &rest) { block(stmts, i + 1, rest); }, out);
      return;
    }
  }

  void statement(const Stmt *s, std::vector<Item> &out) {
    switch (stmtKind(*s)) {
    case StmtKind::Block: return block(as<Block>(s)->stmts, 0, out);
    case StmtKind::Declare: {
      const auto *d = as<Declare>(s);
      accesses_.declare(*d, loops_);
      affine_.domain = domain_;
      affine_.declare(*d, loops_);
      leaf(s, out);
      return goesOn(*d);
    }
    case StmtKind::If: return branch(as<If>(s), out);
    case StmtKind::For: return loop(as<For>(s), out);
    case StmtKind::Evaluate:
    case StmtKind::While:
    case StmtKind::DoWhile:
    case StmtKind::Switch:
    case StmtKind::Break:
    case StmtKind::Continue:
    case StmtKind::Return:
    case StmtKind::Loop:
    case StmtKind::Sync:
    case StmtKind::Alloc:
    case TANGRAM_LOWERED_STMTS: break;
    }
    return leaf(s, out);
  }

  /// while (n < end) { const now = n; ... }: what is known of `now`, as the loop goes on.
  void goesOn(const Declare &d) {
    const auto *copied = dyn<VarRef>(d.init);
    const bool mine = ended_ && copied && loops_ == ended_->loops && !affine_.assigned(d.name);
    if (!mine || !mentions(ended_->cond, copied->name)) return;
    const auto &before = nest_.loops[loops_.back()].node->body->stmts; // nothing has changed it since
    const auto here = std::find(before.begin(), before.end(), &d);
    if (here == before.end() ||
        std::any_of(before.begin(), here, [&](const Stmt *s) { return assignedVariables(s).count(copied->name) != 0; }))
      return;
    ended_->now.emplace(copied->name, d.name);
    const Expr *cond = as<Expr>(renameVariables(nest_.arena, ended_->cond, ended_->now));
    affine_.domain = domain_;
    if (const std::optional<isl::set> holds = affine_.condition(cond)) domain_ = domain_.intersect(*holds).coalesce();
    const Expr *most = onlyShrinksFrom(copied->name);
    const Expr *fits = most ? nest_.arena.make<Binary>(d.range, Scalar::Bool, BinaryOp::Le,
                                                       nest_.arena.make<VarRef>(d.range, d.type, d.name), most)
                            : nullptr;
    affine_.domain = domain_;
    if (const auto holds = fits ? affine_.condition(fits) : std::nullopt)
      domain_ = domain_.intersect(*holds).coalesce();
  }

  /// What an unsigned variable begins as that is divided, and nothing else; null for others.
  const Expr *onlyShrinksFrom(const std::string &variable) const {
    const Declare *declared = nullptr;
    bool shrinks = true;
    walk(
        nest_.codelet->body,
        [&](const Declare &d) {
          if (d.name == variable) declared = &d;
        },
        [&](const Assign &a) {
          const auto *v = dyn<VarRef>(a.target);
          if (v && v->name == variable) shrinks &= a.op == AssignOp::Div || a.op == AssignOp::Shr;
        },
        [&](const Unary &u) {
          const auto *v = dyn<VarRef>(u.operand);
          if (v && v->name == variable && u.op != UnaryOp::Plus && u.op != UnaryOp::Minus) shrinks = false;
        },
        [&](const Atomic &a) {
          const VarRef *root = rootVariable(a.target);
          shrinks &= !root || root->name != variable;
        },
        [&](const Call &c) { // which may be given it to change
          for (const Expr *argument : c.args)
            shrinks &= !isa<VarRef>(argument) || as<VarRef>(argument)->name != variable;
        });
    return shrinks && declared && !declared->type.isSigned() ? declared->init : nullptr;
  }

  /// A statement as a whole. What is not affine within what was not taken apart is not worth a remark of its own.
  void leaf(const Stmt *s, std::vector<Item> &out) {
    bool simple = isa<Evaluate>(s) || isa<Declare>(s) || isa<If>(s) || isa<Return>(s);
    std::size_t said = nest_.remarks.size();
    auto number = static_cast<unsigned>(nest_.statements.size());
    Statement &st = nest_.statements.emplace_back();
    st.node = s;
    st.loops = loops_;
    st.guards = guards_;
    st.domain = domain_;
    st.exact = exact_;
    affine_.domain = domain_;
    accesses_.collect(st, number);
    for (const auto &[e, depth] : controls_) accesses_.control(st, number, e, depth);
    if (!simple) nest_.remarks.resize(said);
    Item item;
    item.index = number;
    out.push_back(std::move(item));
  }

  template <class Then, class Otherwise>
  void guarded(const If *choice, Then &&then, Otherwise &&otherwise, std::vector<Item> &out) {
    affine_.domain = domain_;
    std::optional<isl::set> where = affine_.condition(choice->cond);
    auto number = static_cast<unsigned>(nest_.guards.size());
    nest_.guards.push_back({choice->cond, where.has_value(), choice, domain_, continueIf(choice) != nullptr});
    if (!where) remark(choice->cond->range, fmt::format("condition is not affine: {}", spelled(choice->cond)));
    Item item;
    item.kind = Item::Kind::Guard;
    item.index = number;
    isl::set domain = domain_;
    bool exact = exact_;
    controls_.emplace_back(choice->cond, static_cast<unsigned>(loops_.size()));
    auto side = [&](bool taken, auto &&inside, std::vector<Item> &items) {
      if (where)
        domain_ = (taken ? domain.intersect(*where) : domain.subtract(*where)).coalesce();
      else
        guards_.emplace_back(number, taken);
      exact_ = exact && where.has_value();
      inside(items);
      if (!where) guards_.pop_back();
    };
    side(true, then, item.body);
    side(false, otherwise, item.otherwise);
    controls_.pop_back();
    domain_ = domain;
    exact_ = exact;
    out.push_back(std::move(item));
  }

  /// Whether something is accumulated under a condition: `if (cond) sum += x;`.
  bool accumulates(const If *choice) const {
    const Module &module = *nest_.module;
    if (updateOf(choice, module)) return false; // a minimum or maximum
    auto in = [&](const Block *block) {
      return block && std::any_of(block->stmts.begin(), block->stmts.end(), [&](const Stmt *s) {
               const auto *evaluate = dyn<Evaluate>(s);
               const auto *inner = dyn<If>(s);
               return updateOf(s, module) || selectionOf(s) || (evaluate && isa<Atomic>(evaluate->expr)) ||
                      (inner && accumulates(inner));
             });
    };
    return in(choice->then) || in(choice->otherwise);
  }

  void branch(const If *choice, std::vector<Item> &out) {
    // Where there is no loop in it, and nothing that iterations combine, a condition of data is the statement's own.
    bool whole = jumpsOut(choice) || contains<Return>(choice) || changesSomething(choice->cond, *nest_.module) ||
                 selectionOf(choice);
    if (!whole && !hasLoops(choice) && !accumulates(choice)) {
      affine_.domain = domain_;
      whole = !affine_.condition(choice->cond);
    }
    if (whole) return leaf(choice, out);
    guarded(
        choice, [&](std::vector<Item> &items) { block(choice->then->stmts, 0, items); },
        [&](std::vector<Item> &items) {
          if (choice->otherwise) block(choice->otherwise->stmts, 0, items);
        },
        out);
  }

  void loop(const For *node, std::vector<Item> &out) {
    std::string why;
    std::optional<Counted> c = counted(*node, *nest_.module, why);
    if (c && contains<Return>(node->body)) {
      why = "the loop is left by a return";
      c.reset();
    } else if (c && !onlySkips(node->body)) {
      why = "the loop is left, or a pass of it cut short, by a jump";
      c.reset();
    }
    if (!c) {
      remark(node->range, why);
      return leaf(node, out);
    }
    auto number = static_cast<unsigned>(nest_.loops.size());
    Loop &l = nest_.loops.emplace_back();
    l.node = node;
    l.variable = c->iterator->name;
    l.type = c->iterator->type;
    l.id = l.variable;
    for (unsigned i = 0; i < number; ++i)
      if (nest_.loops[i].id == l.id) l.id = fmt::format("{}__{}", l.variable, number);
    l.step = c->step;
    l.values = l.reached = domain_;
    if (!loops_.empty()) l.parent = loops_.back();

    isl::set outer = domain_;
    bool exact = exact_;
    affine_.domain = domain_;
    l.begin = affine_.value(c->iterator->init);
    if (l.begin && c->decrementsFirst) l.begin = l.begin->add_constant(-1);
    if (!l.begin)
      remark(c->iterator->init->range, fmt::format("first value is not affine: {}", spelled(c->iterator->init)));
    affine_.enter(number);
    l.exact = range(l, *c);
    l.values = domain_;
    exact_ = exact && l.exact;
    const auto depth = static_cast<unsigned>(loops_.size());
    controls_.emplace_back(c->iterator->init, depth);
    if (!c->decrementsFirst) controls_.emplace_back(c->cond, depth + 1);
    loops_.push_back(number);
    Item item;
    item.kind = Item::Kind::Loop;
    item.index = number;
    auto ended = std::exchange(ended_, {});
    if (!l.exact) ended_ = Ended{node->cond, loops_, {}};
    block(node->body->stmts, 0, item.body);
    ended_ = std::move(ended);
    out.push_back(std::move(item));
    loops_.pop_back();
    if (!c->decrementsFirst) controls_.pop_back();
    controls_.pop_back();
    affine_.leave(number);
    domain_ = outer;
    exact_ = exact;
  }

  /// Restricts the domain to the values of the loop; false where these may be fewer.
  bool range(const Loop &l, const Counted &c) {
    auto exactly = nest_.isl.limited([&] { return exactRange(l, c); });
    if (exactly && *exactly) return true;
    // Anything that the type has.
    domain_ = domain_.intersect(affine_.within(l.id, l.type));
    if (l.begin) {
      isl::pw_aff i = affine_.parameter(l.id);
      auto beyond = nest_.isl.limited([&] { return c.step > 0 ? i.ge_set(*l.begin) : i.le_set(*l.begin); });
      if (beyond) domain_ = domain_.intersect(*beyond);
    }
    return false;
  }

  bool exactRange(const Loop &l, const Counted &c) {
    if (!l.begin) return false;
    isl::pw_aff i = affine_.parameter(l.id);
    isl::set outer = domain_, type = affine_.within(l.id, l.type);
    bool up = c.step > 0;
    // begin, begin + step, ... as far as the type goes
    const isl::set ahead = up ? i.ge_set(*l.begin) : i.le_set(*l.begin);
    isl::set lattice = outer.intersect(type).intersect(ahead.coalesce());
    if (c.step != 1 && c.step != -1)
      lattice = lattice.intersect(i.sub(*l.begin).mod(up ? c.step : -c.step).eq_set(affine_.constant("0")));
    if (c.decrementsFirst) {
      domain_ = lattice.intersect(i.ge_set(affine_.constant("0"))).coalesce();
      return true;
    }

    if (std::optional<isl::set> counted = countedAhead(l, c, lattice)) {
      domain_ = *counted;
      return true;
    }

    // What wraps around in the condition only counts up to where the loop ends. So the condition is looked at twice.
    isl::set context = nest_.context, assumed = nest_.assumed;
    affine_.domain = lattice;
    std::optional<isl::set> holds = affine_.condition(c.cond);
    if (!holds) {
      remark(c.cond->range, fmt::format("condition of the loop is not affine: {}", spelled(c.cond)));
      return false;
    }
    nest_.context = nest_.context.intersect(context);
    nest_.assumed = assumed.intersect(nest_.context);
    isl::set fails = lattice.subtract(*holds).coalesce();
    isl::set behind = after(fails, l, up, false), passed = after(fails, l, up, true);
    affine_.domain = lattice.subtract(passed).coalesce();
    if (!affine_.condition(c.cond)) {
      remark(c.cond->range, fmt::format("condition of the loop wraps around: {}", spelled(c.cond)));
      return false;
    }
    isl::set taken = lattice.intersect(*holds);
    if (!behind.is_subset(fails)) taken = taken.subtract(behind);
    domain_ = taken.coalesce();
    return ends(l, lattice, fails, *holds, outer, type);
  }

  /// for (i = 0; i + w <= end; ++i): the sum does not wrap around before it comes to the end, but for sizes that are
  /// excluded.
  std::optional<isl::set> countedAhead(const Loop &l, const Counted &c, const isl::set &lattice) {
    const auto *cond = dyn<Binary>(c.cond);
    const bool less = cond && cond->op == BinaryOp::Lt, most = cond && cond->op == BinaryOp::Le;
    constexpr Int kMost = 1 << 20;
    if ((!less && !most) || c.step < 1 || c.step > kMost) return std::nullopt;
    const std::optional<Ahead> ahead = aheadOf(cond->lhs, l.variable);
    if (!ahead || ahead->converted || (ahead->added.empty() && ahead->taken.empty())) return std::nullopt;
    if (cond->rhs->type != l.type || cond->lhs->type != l.type) return std::nullopt;
    affine_.domain = domain_;
    isl::pw_aff by = affine_.constant("0");
    for (const Expr *e : ahead->added) {
      const std::optional<isl::pw_aff> value = affine_.value(e);
      if (!value) return std::nullopt;
      by = by.add(*value);
    }
    for (const Expr *e : ahead->taken) {
      const std::optional<isl::pw_aff> value = affine_.value(e);
      if (!value) return std::nullopt;
      by = by.sub(*value);
    }
    const std::optional<isl::pw_aff> end = affine_.value(cond->rhs);
    if (!end) return std::nullopt;
    const auto [lo, hi] = Affine::limits(l.type);
    const isl::pw_aff first = l.begin->add(by), highest = affine_.constant(hi);
    const isl::set low = first.lt_set(affine_.constant(lo)), high = first.gt_set(highest),
                   behind = end->gt_set(highest.add_constant(static_cast<long>(less ? 1 - c.step : -c.step)));
    if (!affine_.exclude(low.unite(high).unite(behind), false)) return std::nullopt;
    const isl::pw_aff compared = affine_.parameter(l.id).add(by);
    return lattice.intersect(less ? compared.lt_set(*end) : compared.le_set(*end)).coalesce();
  }

  /// The values behind one of the set, itself included or not.
  isl::set after(const isl::set &set, const Loop &l, bool up, bool strictly) {
    isl::ctx ctx = nest_.isl.get();
    isl::id mine(ctx, l.id), other(ctx, l.id + "_first");
    // i is called another way, by way of a dimension.
    isl::multi_id from = isl::space::unit(ctx).add_unnamed_tuple(1).multi_id(mine.to_list());
    isl::multi_id to = isl::space::unit(ctx).add_unnamed_tuple(1).multi_id(other.to_list());
    isl::set moved = set.unbind_params(from).bind(to);
    isl::pw_aff i = affine_.parameter(l.id), first = affine_.parameter(l.id + "_first");
    isl::set order =
        up ? (strictly ? i.gt_set(first) : i.ge_set(first)) : (strictly ? i.lt_set(first) : i.le_set(first));
    return moved.intersect(order).project_out_param(other).coalesce();
  }

  /// The iterator would leave its type before the condition fails: it overflows, or the loop goes on for ever where the
  /// condition holds for all values, and such programs are undefined. Else it wraps around, which has to be ruled out.
  bool ends(const Loop &l, const isl::set &lattice, const isl::set &fails, const isl::set &holds, const isl::set &outer,
            const isl::set &type) {
    isl::id mine(nest_.isl.get(), l.id);
    isl::set starts = lattice.project_out_param(mine), stops = fails.project_out_param(mine);
    isl::set leaves = starts.subtract(stops).intersect(outer);
    if (leaves.intersect(nest_.assumed).is_empty()) return true;
    affine_.domain = outer;
    isl::set sometimesFalse = type.subtract(holds).project_out_param(mine);
    isl::set forEver = leaves.subtract(sometimesFalse);
    if (l.type.isSigned()) forEver = leaves;
    bool known = exact_; // it does run
    return affine_.exclude(forEver, known) && affine_.exclude(leaves, false);
  }

  void remark(const SourceRange &range, std::string message) { nest_.remarks.push_back({range, std::move(message)}); }

  Nest &nest_;
  Affine affine_;
  Accesses accesses_;
  isl::set domain_ = nest_.context;
  bool exact_ = true;
  std::vector<unsigned> loops_;
  std::vector<std::pair<unsigned, bool>> guards_;
  std::vector<std::pair<const Expr *, unsigned>> controls_; // and how many loops are around each
  /// A loop that data ends, and constants that its body has of what the condition mentions.
  struct Ended {
    const Expr *cond = nullptr;
    std::vector<unsigned> loops; // with it
    std::map<std::string, std::string> now;
  };
  std::optional<Ended> ended_;
};

} // namespace

bool isCounted(const For &loop, const Module &module) {
  std::string why;
  return counted(loop, module, why) && !contains<Return>(loop.body) && onlySkips(loop.body);
}

std::unique_ptr<Nest> read(const Module &module, const Codelet &codelet, Places places) {
  if (codelet.coop) return nullptr;
  auto nest = std::make_unique<Nest>();
  nest->module = &module;
  nest->codelet = &codelet;
  nest->context = nest->assumed = isl::set::universe(isl::space::unit(nest->isl.get()));
  Reader(*nest, module, places).run();
  return nest;
}

const Nest *Nests::of(const Codelet &codelet) {
  auto [it, fresh] = nests_.try_emplace(&codelet);
  if (fresh) it->second = read(module_, codelet);
  return it->second.get();
}

/// Whether evaluating it may change something: functions that are expressions, as std::min is, do what those do.
bool changesSomething(const Expr *e, const Module &module, unsigned depth) {
  constexpr unsigned kDeepest = 8;
  if (!hasEffects(e)) return false;
  return any<Expr>(e, [&](const Expr &part) {
    const auto *call = dyn<Call>(&part);
    const Function *function = call && depth < kDeepest ? functionOfExpression(module, *call) : nullptr;
    if (function) return changesSomething(resultOf(*function), module, depth + 1);
    if (call) return hasEffects(call) && !isMathFunction(call->callee);
    const auto *unary = dyn<Unary>(&part);
    return unary ? unary->op != UnaryOp::Plus && unary->op != UnaryOp::Minus && unary->op != UnaryOp::Not &&
                       unary->op != UnaryOp::BitNot
                 : isa<Assign>(&part) || isa<Atomic>(&part) || isa<MatrixMultiply>(&part) || isa<SpectrumCall>(&part) ||
                       isa<Map>(&part);
  });
}

} // namespace tangram::nest
