#include "CountedSlots.h"

#include "Captures.h"
#include "LoopParts.h"
#include "ReplacedLoops.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Casts.h"
#include "tangram/nest/Dependences.h"
#include "tangram/nest/Updates.h"
#include "tangram/nest/Write.h"

#include <algorithm>
#include <optional>

namespace tangram::divide {

using namespace ast;
using Stmts = std::vector<const Stmt *>;
using Exprs = std::vector<const Expr *>;

namespace {

constexpr std::int64_t kLeastParts = 64; // that memory is asked for

bool isElementOf(const Expr *e, const std::string &container) {
  const auto *element = dyn<Subscript>(e);
  const auto *base = element ? dyn<VarRef>(element->base) : nullptr;
  return base && base->name == container;
}

/// `next[k]++` and the like.
const Unary *countIn(const Expr *e, const std::string &counters) {
  const auto *u = dyn<Unary>(nest::withoutWidening(e));
  return u && changesOperand(u->op) && isElementOf(u->operand, counters) ? u : nullptr;
}

/// What is left of an iteration where only the counters are asked for.
class Counting {
public:
  /// `written`: containers that the loop writes, without the counters.
  Counting(const Module &module, std::string counters, std::set<std::string> written, Arena &arena)
      : module_(module), counters_(std::move(counters)), unknown_(std::move(written)), arena_(arena) {}

  /// Nothing where what is counted, and where, depends on what has been counted or written.
  std::optional<Stmts> of(const Stmts &body) {
    for (;;) {
      const std::size_t before = unknown_.size();
      possible_ = true;
      Stmts kept = list(body);
      if (!possible_) return {};
      if (unknown_.size() == before) return kept;
    }
  }
  /// Whether every count is by one, in one direction; which.
  bool isByOne() const { return up_ != down_; }
  bool isUp() const { return up_; }

private:
  Stmts list(const Stmts &stmts) {
    Stmts kept;
    for (const Stmt *s : stmts) statement(s, kept);
    return kept;
  }

  /// Whether it can be computed while only counting.
  bool isKnown(const Node *e) const {
    bool known = true;
    walk(
        e, [](const Size &) { return WalkResult::Skip; },
        [&](const VarRef &v) { known &= v.name != counters_ && !unknown_.count(v.name); });
    return known;
  }
  bool isPlain(const Expr *e) const { return isKnown(e) && !hasEffects(e); }

  /// The counts within an expression that is evaluated otherwise for nothing but what is not asked for.
  void counts(const Expr *e, Stmts &kept) {
    std::size_t effects = 0, found = 0;
    bool certain = true;
    walk(
        e,
        [&](const Unary &u) {
          if (!changesOperand(u.op)) return;
          ++effects;
          if (!countIn(&u, counters_)) return;
          ++found;
          count(u, kept);
        },
        [&](const Assign &) { ++effects; }, [&](const Atomic &) { ++effects; },
        [&](const SpectrumCall &) { ++effects; }, [&](const Map &) { ++effects; },
        [&](const Conditional &) { certain = false; },
        [&](const Binary &b) {
          certain &= b.op != BinaryOp::LogicalAnd && b.op != BinaryOp::LogicalOr && b.op != BinaryOp::Comma;
        });
    possible_ &= effects == found && found <= 1 && (certain || found == 0);
  }

  void count(const Unary &u, Stmts &kept) {
    const bool up = u.op == UnaryOp::PreInc || u.op == UnaryOp::PostInc;
    (up ? up_ : down_) = true;
    for (const Expr *index : as<Subscript>(u.operand)->indices) possible_ &= isPlain(index);
    kept.push_back(arena_.make<Evaluate>(
        u.range, arena_.derive(&u, [&](Unary &other) { other.op = up ? UnaryOp::PreInc : UnaryOp::PreDec; })));
  }

  void statement(const Stmt *s, Stmts &kept) {
    if (const auto *d = dyn<Declare>(s)) return declared(d, kept);
    if (const auto *e = dyn<Evaluate>(s)) return evaluated(e, kept);
    if (const auto *block = dyn<Block>(s)) {
      Stmts inside = list(block->stmts);
      return kept.push_back(arena_.derive(block, [&](Block &b) { b.stmts = std::move(inside); }));
    }
    if (const auto *branch = dyn<If>(s)) {
      possible_ &= isPlain(branch->cond);
      const Build build(arena_, s->range);
      Stmts then = list(branch->then->stmts), otherwise;
      if (branch->otherwise) otherwise = list(branch->otherwise->stmts);
      if (then.empty() && otherwise.empty()) return;
      return kept.push_back(then.empty() ? build.when(build.logicalNot(branch->cond), std::move(otherwise))
                                         : build.when(branch->cond, std::move(then), std::move(otherwise)));
    }
    if (const auto *loop = dyn<For>(s)) {
      possible_ &= isKnown(loop->init) && isKnown(loop->cond) && isKnown(loop->step);
      Stmts inside = list(loop->body->stmts);
      if (inside.empty()) return;
      return kept.push_back(arena_.derive(loop, [&](For &f) { f.body = Build(arena_, s->range).block(inside); }));
    }
    possible_ = false;
  }

  void declared(const Declare *d, Stmts &kept) {
    if (!d->init || isKnown(d->init)) return kept.push_back(d);
    possible_ &= d->extents.empty() && d->type.isScalar();
    unknown_.insert(d->name);
    counts(d->init, kept);
  }

  void evaluated(const Evaluate *e, Stmts &kept) {
    if (const Unary *u = countIn(e->expr, counters_)) return count(*u, kept);
    const auto *set = dyn<Assign>(e->expr);
    const VarRef *root = set ? rootVariable(set->target) : nullptr;
    if (root && root->name == counters_) return updated(e, kept);
    if (root && !isKnown(e)) {
      // Of a container that is written nothing is known anyway; of another variable from here on.
      unknown_.insert(root->name);
      counts(set->target, kept); // out[next[k]++] = e
      return counts(set->value, kept);
    }
    possible_ &= root || (isa<Unary>(e->expr) && rootVariable(as<Unary>(e->expr)->operand) && isKnown(e));
    kept.push_back(e);
  }

  /// next[k] += e
  void updated(const Evaluate *e, Stmts &kept) {
    const std::optional<nest::Update> update = nest::updateOf(e, module_);
    possible_ &= update && update->op == nest::ReductionOp::Add && isElementOf(update->target, counters_) &&
                 (!update->value || isPlain(update->value)) && as<Subscript>(update->target)->indices.size() == 1 &&
                 isPlain(as<Subscript>(update->target)->indices[0]);
    if (!possible_) return;
    const std::optional<Int> by = update->value ? literal(nest::withoutWidening(update->value)) : Int(1);
    const bool one = by && *by == 1;
    up_ |= !one || !update->subtracts;
    down_ |= !one || update->subtracts;
    kept.push_back(e);
  }

  const Module &module_;
  std::string counters_;
  std::set<std::string> unknown_; // variables and containers whose values counting does not have
  Arena &arena_;
  bool possible_ = true, up_ = false, down_ = false;
};

/// Elements of the counters as elements of a row.
class InRow final : public Mutator {
public:
  InRow(const std::string &counters, const Expr *rows, const Expr *row, Arena &arena)
      : Mutator(arena), counters_(counters), rows_(rows), row_(row) {}

private:
  const Node *mutateSubscript(const Subscript *s) override {
    const auto *inner = as<Subscript>(Mutator::mutateSubscript(s));
    if (!isElementOf(s, counters_)) return inner;
    return Build(arena(), s->range).element(rows_, {row_, inner->indices[0]}, s->type);
  }
  const std::string &counters_;
  const Expr *rows_, *row_;
};

struct SlotLoop {
  const For *loop = nullptr;
  LoopRange range;
  bool downwards = false;
  const VarRef *counters = nullptr;
  Stmts body, counting;
  Exprs conditions; // that a counter that came round would be no slot
  bool writesSlots = false, up = true;
};

class SlotLoops {
public:
  SlotLoops(const nest::Nest &nest, Arena &arena) : nest_(nest), dependences_(nest), arena_(arena) {}

  std::optional<SlotLoop> of(const nest::Item &item) const {
    const unsigned loop = item.index;
    const Stmts body = nest::sourceOf(nest_, item.body, arena_);
    const nest::Carried carried = dependences_.carried(loop);
    if (carried.kind != nest::Carried::Kind::Dependence) return {};
    std::set<unsigned> shared;
    for (const nest::Dependence &d : dependences_.all(loop)) shared.insert(d.first->variable);
    for (const unsigned own : carried.privatizable) shared.erase(own);
    for (const unsigned variable : shared) {
      if (!nest_.variables[variable].container) return {};
      if (std::optional<SlotLoop> found = countedIn(variable, loop, body, shared)) return found;
    }
    return {};
  }

private:
  std::optional<SlotLoop> countedIn(unsigned variable, unsigned loop, const Stmts &body,
                                    std::set<unsigned> others) const {
    const nest::Variable &counters = nest_.variables[variable];
    const Type type = counters.type.isArray() ? counters.type.element() : counters.type;
    if (counters.rank != 1 || !type.isInteger() || type.bytes() < 4) return {};
    others.erase(variable);
    std::set<std::string> written;
    for (const unsigned s : nest_.statementsOf(loop))
      for (const nest::Access &a : nest_.statements[s].accesses) {
        const nest::Variable &other = nest_.variables[a.variable];
        if (a.kind == nest::AccessKind::Atomic) return {};
        if (a.kind == nest::AccessKind::Write && other.container && a.variable != variable) written.insert(other.name);
      }
    SlotLoop found;
    found.loop = nest_.loops[loop].node;
    Counting counting(*nest_.module, counters.name, written, arena_);
    std::optional<Stmts> kept = counting.of(body);
    std::string why;
    const std::optional<LoopRange> range = nest::rangeOf(nest_, loop, arena_, why, true);
    if (!kept || kept->empty() || !range || !range->decoded.empty()) return {};
    found.counting = std::move(*kept);
    found.body = body;
    found.range = *range;
    found.downwards = nest_.loops[loop].step < 0;
    found.writesSlots = !others.empty();
    found.up = counting.isUp();
    for (const unsigned other : others)
      if (!counting.isByOne() || !isWrittenAtSlots(nest_.variables[other], counters.name, type, found)) return {};
    walk(found.loop->body, [&](const VarRef &v) {
      if (v.name == counters.name) found.counters = &v;
    });
    return found;
  }

  /// Whether iterations do nothing with a container but write where the counters have just said, `to = next[k]++;
  /// out[to] = e;` or `out[next[k]++] = e;`, which they do wherever they count.
  bool isWrittenAtSlots(const nest::Variable &container, const std::string &counters, const Type &type,
                        SlotLoop &loop) const {
    const bool up = loop.up;
    const Block *body = Build(arena_, nest_.codelet->range).block(loop.body);
    std::size_t mentions = 0, writes = 0, counts = 0;
    walk(
        body, [](const Size &) { return WalkResult::Skip; },
        [&](const VarRef &v) { mentions += v.name == container.name; },
        [&](const Unary &u) { counts += countIn(&u, counters) == &u; },
        [&](const Assign &set) { counts += isElementOf(set.target, counters); });
    std::set<const Unary *> written; // counts that say a slot that is written
    const std::set<std::string> assigned = assignedVariables(body);
    const auto search = [&](const auto &self, const Stmts &stmts) -> void {
      std::map<std::string, const Unary *> slots; // of this block
      for (const Stmt *s : stmts) {
        if (const auto *d = dyn<Declare>(s); d && d->init && !assigned.count(d->name) && d->type.isInteger())
          if (const Unary *u = countIn(d->init, counters); u && isSlot(*u, up) && d->type.bytes() >= type.bytes())
            slots.emplace(d->name, u);
        const auto *e = dyn<Evaluate>(s);
        const auto *set = e ? dyn<Assign>(e->expr) : nullptr;
        const auto *target = set && isElementOf(set->target, container.name) ? as<Subscript>(set->target) : nullptr;
        if (target && set->op == AssignOp::Set) {
          const auto *v = dyn<VarRef>(nest::withoutWidening(target->indices[0]));
          const auto slot = v ? slots.find(v->name) : slots.end();
          const Unary *u = slot != slots.end() ? slot->second : countIn(target->indices[0], counters);
          if (u && isSlot(*u, up)) written.insert(u), ++writes;
        }
        const auto *branch = dyn<If>(s);
        const auto *inner = dyn<For>(s);
        if (branch) self(self, branch->then->stmts);
        if (branch && branch->otherwise) self(self, branch->otherwise->stmts);
        if (inner) self(self, inner->body->stmts);
      }
    };
    search(search, body->stmts);
    if (writes != mentions) return false;
    if (type.isSigned() || type.bytes() == 8) return true;
    // A counter that came round would have been an index that the container does not have, where each is written.
    if (written.size() != counts) return false;
    const Param *param = nullptr;
    for (const Param *p : nest_.codelet->params)
      if (p->name == container.name) param = p;
    if (!param) return false;
    const Build build(arena_, param->range);
    const Expr *dim = param->type.rank() > 1 ? build.u64(0) : nullptr;
    const Expr *size = arena_.make<Size>(param->range, kSize, build.var(param->name, param->type), dim);
    loop.conditions.push_back(build.less(size, build.u64(std::uint64_t{1} << 32)));
    return true;
  }
  static bool isSlot(const Unary &u, bool up) { return u.op == (up ? UnaryOp::PostInc : UnaryOp::PreDec); }

  const nest::Nest &nest_;
  nest::Dependences dependences_;
  Arena &arena_;
};

class CountedSlots final : public ReplacedLoops {
public:
  CountedSlots(const nest::Nest &nest, std::int64_t most, Arena &arena)
      : ReplacedLoops(arena), nest_(nest), most_(most), found_(nest, arena) {
    names_.reserveAll(nest.codelet);
    find(nest.items);
  }
  const Codelet *run() {
    if (made.empty()) return nest_.codelet;
    const auto *codelet = as<Codelet>(mutate(nest_.codelet));
    return arena().derive(codelet, [&](Codelet &c) {
      c.assumed.insert(c.assumed.end(), independent_.begin(), independent_.end());
      c.conditions.insert(c.conditions.end(), conditions_.begin(), conditions_.end());
    });
  }

private:
  void find(const std::vector<nest::Item> &items) {
    for (const nest::Item &item : items) {
      if (item.kind == nest::Item::Kind::Loop) {
        if (const std::optional<SlotLoop> found = found_.of(item)) {
          conditions_.insert(conditions_.end(), found->conditions.begin(), found->conditions.end());
          made[found->loop] = inParts(*found);
        }
        continue;
      }
      find(item.body);
      find(item.otherwise);
    }
  }

  Stmts inParts(const SlotLoop &slots) {
    const Build build(arena(), slots.loop->range);
    const std::string &counters = slots.counters->name;
    const Type type = slots.counters->type.element();
    const Tunable *noTunable = nullptr;
    const Expr *none = nullptr, *one = build.u64(1);
    const Expr *size = arena().make<Size>(slots.loop->range, kSize, slots.counters, none);
    const bool given = std::any_of(nest_.codelet->params.begin(), nest_.codelet->params.end(),
                                   [&](const Param *p) { return p->name == counters; });
    if (given)
      conditions_.push_back(
          build.binary(BinaryOp::Le, size, build.u64(static_cast<std::uint64_t>(most_ / kLeastParts))));
    // As many parts as there is memory for.
    const Expr *fit = build.add(one, build.div(build.u64(static_cast<std::uint64_t>(most_)), build.add(size, one)));
    LoopParts parts(slots.range, slots.downwards, {8, 64, 1024, 16384}, fit, names_, arena());
    Stmts stmts = parts.declarations();
    const Expr *rows = build.var(names_.fresh(counters + "_own"), Type::array(2, type));
    stmts.push_back(arena().make<Declare>(slots.loop->range, as<VarRef>(rows)->name, rows->type, false, false,
                                          Exprs{build.add(parts.count(), one), size}, noTunable, none));
    const auto number = [&](const char *name) { return build.var(names_.fresh(name), kSize); };
    const auto variable = [&](const char *name) { return build.var(names_.fresh(name), type); };
    const auto element = [&](const Expr *at) { return build.element(slots.counters, {at}, type); };
    const auto own = [&](const Expr *row, const Expr *at) { return build.element(rows, {row, at}, type); };
    const auto inRow = [&](const Expr *row, const Stmts &body) {
      InRow mutator(counters, rows, row, arena());
      Stmts own;
      for (const Stmt *s : body) own.push_back(as<Stmt>(mutator.mutate(s)));
      return own;
    };
    const auto withNames = [&](const Stmt *s) { return as<For>(withOwnNames(arena(), s, names_)); };

    const Expr *part = number("part"), *at = number("at");
    stmts.push_back(withNames(
        parts.loop(part, {counted(build, at, build.u64(0), size, {build.assign(own(part, at), build.zero(type))})},
                   inRow(part, slots.counting))));

    const Expr *each = number("at"), *before = number("part"), *sum = variable("sum"), *mine = variable("mine");
    stmts.push_back(counted(build, each, build.u64(0), size,
                            {build.declare(as<VarRef>(sum)->name, type, element(each), false),
                             counted(build, before, build.u64(0), parts.count(),
                                     {build.declare(as<VarRef>(mine)->name, type, own(before, each)),
                                      build.assign(own(before, each), sum), build.assign(sum, build.add(sum, mine))}),
                             build.assign(own(parts.count(), each), sum)}));

    const Expr *again = number("part"), *last = number("at");
    const For *replay = withNames(parts.loop(again, {}, inRow(again, slots.body)));
    independent_.push_back(as<Declare>(replay->init)->name);
    Stmts inOrder{replay,
                  counted(build, last, build.u64(0), size, {build.assign(element(last), own(parts.count(), last))})};
    if (!slots.writesSlots) {
      stmts.insert(stmts.end(), inOrder.begin(), inOrder.end());
      return stmts;
    }
    // Slots of one key end before those of the next one begin.
    const Type answer = Scalar::I32;
    const Expr *apart = build.var(names_.fresh("apart"), answer), *key = number("at"), *next = build.add(key, one);
    const auto begin = [&](const Expr *e) { return slots.up ? element(e) : own(parts.count(), e); };
    const auto end = [&](const Expr *e) { return slots.up ? own(parts.count(), e) : element(e); };
    const Expr *ends =
        build.select(build.less(next, size), build.binary(BinaryOp::Le, end(key), begin(next)), build.boolean(true));
    const Expr *holds = build.binary(
        BinaryOp::And, build.cast(answer, build.binary(BinaryOp::Le, begin(key), end(key))), build.cast(answer, ends));
    stmts.push_back(build.declare(as<VarRef>(apart)->name, answer, build.integer(answer, 1), false));
    stmts.push_back(
        counted(build, key, build.u64(0), size,
                {arena().make<Evaluate>(
                    slots.loop->range, arena().make<Assign>(slots.loop->range, answer, AssignOp::And, apart, holds))}));
    stmts.push_back(build.when(build.less(build.integer(answer, 0), apart), std::move(inOrder), {slots.loop}));
    return stmts;
  }

  const nest::Nest &nest_;
  std::int64_t most_;
  SlotLoops found_;
  Names names_;
  Texts independent_; // variables of loops over parts that go through iterations again
  Exprs conditions_;
};

} // namespace

const Codelet *withCountedSlots(const nest::Nest &nest, std::int64_t most, Arena &arena) {
  if (hasViews(*nest.codelet)) return nest.codelet; // containers are told apart by their names
  return CountedSlots(nest, most, arena).run();
}

} // namespace tangram::divide
