// Sums that slide from call to call of a map (orderedAdd; dissertation, section 8.2.1). In a loop they are additions.
// Where each call is another unit's, a unit says what it adds, looks back over what those before it have said until it
// finds one that knows all before itself, and says what it knows (decoupled look-back: D. Merrill and M. Garland,
// "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016). Calls are drawn, not assigned: who waits, waits
// for units that run, however many there are and in whatever order they come.
#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Walk.h"
#include "tangram/hardware/Units.h"
#include "tangram/pass/Pass.h"
#include "tangram/pass/Property.h"
#include "tangram/plugin/Plugin.h"

#include <functional>

namespace {
using namespace tangram;
using namespace tangram::ast;

constexpr DiagnosticKind kPlace{"sliding.place", DiagnosticClass::Limitation,
                                "orderedAdd stands within an expression or a condition",
                                "give its value to a variable: T before = orderedAdd(place, value);"};
constexpr DiagnosticKind kOnce{"sliding.once", DiagnosticClass::User,
                               "not every call of the map does this orderedAdd exactly once",
                               "take it out of loops, and do it in all branches or in none"};
constexpr DiagnosticKind kTarget{"sliding.target", DiagnosticClass::Limitation,
                                 "the calls of the map do this orderedAdd on different elements",
                                 "pass a container of one element, and add to that"};
constexpr DiagnosticKind kNested{"sliding.nested", DiagnosticClass::Bug,
                                 "orderedAdd passes between units of several levels", "compose another plan"};

// A unit's word: what it says above, the sum below.
constexpr std::uint64_t kOwn = 1, kAll = 2, kSays = 32;

bool isOrdered(const Expr *e) {
  const auto *atomic = dyn<Atomic>(e);
  return atomic && atomic->op == AtomicOp::OrderedAdd;
}

class Sliding final : public Mutator {
public:
  Sliding(PassContext &context, const Kernel &kernel)
      : Mutator(context.arena), hardware_(context.target.hardware), storage_(context.analyses.of<Storage>(kernel)) {
    names_.reserveAll(&kernel);
  }

private:
  /// A distributed loop that is being mutated.
  struct Around {
    const Loop *loop;
    std::set<std::string> own;                // what is declared in it
    std::map<std::string, std::string> words; // of each container that is added to
    std::vector<const Stmt *> before;         // what makes them
  };

  const Node *mutateLoop(const Loop *loop) override {
    if (loop->policy != Policy::Distribute) return rebuild(loop);
    std::set<std::string> own = declaredIn(loop->body);
    own.insert(loop->var);
    around_.push_back({loop, std::move(own), {}, {}});
    const Block *body = mutateAs(loop->body);
    Around done = std::move(around_.back());
    around_.pop_back();
    for (const Stmt *s : done.before) emitBefore(s);
    if (done.words.empty()) return arena().derive(loop, [&](Loop &copy) { copy.body = body; });
    return drawn(loop, body, done.words.begin()->second);
  }

  /// Which call comes next, the first worker of a unit takes from the word behind those of all calls.
  const Loop *drawn(const Loop *loop, const Block *body, const std::string &words) {
    Build b(arena(), loop->range);
    const Type u64 = Scalar::U64;
    std::string cell = names_.fresh("drawn");
    const Expr *place = b.element(b.var(cell, Type::array(1, u64)), {b.u64(0)}, u64);
    const Expr *counter = b.element(b.var(words, Type::array(1, u64)), {count(*loop)}, u64);
    const Expr *draw =
        arena().make<Atomic>(loop->range, u64, AtomicOp::Add, counter, std::vector<const Expr *>{b.u64(1)});
    const Expr *call = isLiteral(loop->begin, 0) ? place : b.add(b.cast(u64, loop->begin), place);
    std::vector<const Stmt *> stmts{
        arena().make<Alloc>(loop->range, cell, u64, std::vector<const Expr *>{b.u64(1)}, unitOf(*loop).name, ""),
        b.assign(place, draw), b.declare(loop->var, loop->varType, b.cast(loop->varType, call))};
    stmts.insert(stmts.end(), body->stmts.begin(), body->stmts.end());
    return arena().derive(loop, [&](Loop &copy) {
      copy.var = names_.fresh("turn");
      copy.body = b.block(std::move(stmts));
    });
  }

  const hardware::Level &unitOf(const Loop &loop) const { return *hardware_.below(*hardware_.find(loop.level)); }

  const Expr *count(const Loop &loop) {
    Build b(arena(), loop.range);
    const Expr *end = b.cast(Scalar::U64, loop.end);
    return isLiteral(loop.begin, 0) ? end : b.sub(end, b.cast(Scalar::U64, loop.begin));
  }
  const Node *mutateDeclare(const Declare *d) override {
    const Expr *init = d->init ? lowered(d->init) : nullptr;
    if (!init) return rebuild(d);
    return arena().derive(d, [&](Declare &copy) { copy.init = init; });
  }
  const Node *mutateEvaluate(const Evaluate *e) override {
    if (lowered(e->expr)) return nullptr;
    const auto *assign = dyn<Assign>(e->expr);
    const Expr *value = assign ? lowered(assign->value) : nullptr;
    if (!value) return rebuild(e);
    const Expr *target = mutateAs(assign->target);
    return arena().derive(e, [&](Evaluate &copy) {
      copy.expr = arena().derive(assign, [&](Assign &inner) {
        inner.target = target;
        inner.value = value;
      });
    });
  }
  const Node *mutateAtomic(const Atomic *a) override {
    if (isOrdered(a)) fail(kPlace, a->range);
    return rebuild(a);
  }

  /// The value before, where `e` is an orderedAdd, maybe converted; what it does stands in front.
  const Expr *lowered(const Expr *e) {
    if (const auto *cast = dyn<Cast>(e)) {
      const Expr *inner = lowered(cast->operand);
      return inner ? Build(arena(), e->range).cast(e->type, inner) : nullptr;
    }
    if (!isOrdered(e)) return nullptr;
    const auto *a = as<Atomic>(e);
    Build b(arena(), a->range);
    std::string mine = names_.fresh("mine"), before = names_.fresh("before");
    emitBefore(b.declare(mine, a->type, mutateAs(a->operands.at(0))));
    Around *between = nullptr;
    const std::string buffer = bufferOf(a->target);
    for (Around &each : around_) {
      if (each.own.count(buffer)) continue; // each call has its own
      if (between) fail(kNested, a->range);
      between = &each;
    }
    const Expr *value = b.var(mine, a->type);
    if (between) {
      emitBefore(b.declare(before, a->type, lookBack(*a, value, *between)));
    } else {
      emitBefore(b.declare(before, a->type, a->target));
      emitBefore(b.assign(a->target, b.add(b.var(before, a->type), value)));
    }
    return b.var(before, a->type);
  }

  /// The container behind a place, by whatever name it is passed.
  std::string bufferOf(const Expr *place) const {
    const VarRef *root = rootVariable(place);
    return root ? storage_.bufferOf(root->name) : "";
  }

  /// Once a call of the map, whichever way it goes.
  void checkOnce(const Atomic &a, const Loop *loop) const {
    std::string buffer = bufferOf(a.target);
    std::function<unsigned(const Node *)> times = [&](const Node *node) -> unsigned {
      if (const auto *other = dyn<Atomic>(node)) return isOrdered(other) && bufferOf(other->target) == buffer;
      unsigned sum = 0;
      std::optional<unsigned> branch;
      for (const Node *child : children(*node)) {
        unsigned found = times(child);
        if (isa<If>(node) && isa<Block>(child)) {
          if (branch && *branch != found) fail(kOnce, a.range);
          branch = found;
          continue;
        }
        sum += found;
      }
      bool maybe = isa<If>(node) && branch.value_or(0) && !as<If>(node)->otherwise;
      bool repeats = isa<For>(node) || isa<While>(node) || isa<DoWhile>(node) || isa<Loop>(node) || isa<Switch>(node);
      if (maybe || (repeats && sum)) fail(kOnce, a.range);
      return sum + branch.value_or(0);
    };
    if (times(loop->body) != 1) fail(kOnce, a.range);
  }

  const Expr *lookBack(const Atomic &a, const Expr *mine, Around &around) {
    const Loop &loop = *around.loop;
    for (const std::string &name : mentioned(a.target))
      if (around.own.count(name)) fail(kTarget, a.range);
    checkOnce(a, &loop);

    std::string &words = around.words[bufferOf(a.target)]; // calls may go two ways
    if (words.empty()) clear(words = names_.fresh("words"), around);

    Build b(arena(), a.range);
    const hardware::Level &unit = unitOf(loop);
    std::string cell = names_.fresh("slid");
    emitBefore(arena().make<Alloc>(a.range, cell, a.type, std::vector<const Expr *>{b.u64(1)}, unit.name, ""));
    const Expr *result = b.element(b.var(cell, Type::array(1, a.type)), {b.u64(0)}, a.type);
    const hardware::Hardware units = hardware::with(hardware_, loop.units);
    const hardware::Level *lanes = units.below(*units.find(unit.name));
    const bool together = lanes && lanes->vector && lanes->shuffle && units.lanes(*lanes) > 1;
    emitBefore(together ? lookBackTogether(a, mine, result, words, loop, *lanes, units.lanes(*lanes))
                        : lookBackAlone(a, mine, result, words, loop));
    return result;
  }

  /// A new variable.
  const Expr *declare(std::vector<const Stmt *> &to, const char *hint, const Type &type, const Expr *init,
                      bool isConst) {
    Build b(arena(), init->range);
    std::string name = names_.fresh(hint);
    to.push_back(b.declare(name, type, init, isConst));
    return b.var(name, type);
  }
  const Expr *wordAt(const Build &b, const std::string &words, const Expr *index) const {
    return b.element(b.var(words, Type::array(1, Scalar::U64)), {index}, Scalar::U64);
  }
  /// What the call of that number says so far.
  const Expr *heard(const Build &b, const std::string &words, const Expr *index) {
    return arena().make<Atomic>(index->range, Scalar::U64, AtomicOp::Or, wordAt(b, words, index),
                                std::vector<const Expr *>{b.u64(0)});
  }
  const Stmt *say(const Build &b, const std::string &words, std::uint64_t what, const Expr *index, const Expr *sum) {
    const Expr *value = b.binary(BinaryOp::Or, b.u64(what << kSays), b.cast(Scalar::U64, b.cast(Scalar::U32, sum)));
    return arena().make<Evaluate>(sum->range,
                                  arena().make<Atomic>(sum->range, Scalar::U64, AtomicOp::Exchange,
                                                       wordAt(b, words, index), std::vector<const Expr *>{value}));
  }
  const Expr *saidIn(const Build &b, const Expr *word) const { return b.binary(BinaryOp::Shr, word, b.u64(kSays)); }
  const Expr *sumIn(const Build &b, const Expr *word, const Type &type) const {
    return b.cast(type, b.cast(Scalar::U32, word));
  }

  /// The number of the call.
  const Expr *indexIn(const Build &b, const Loop &loop) {
    const Expr *index = b.cast(Scalar::U64, b.var(loop.var, loop.varType));
    return isLiteral(loop.begin, 0) ? index : b.sub(index, b.cast(Scalar::U64, loop.begin));
  }
  /// Before the look back: what the call adds; the first one has the value that all start from in `sum`.
  const Stmt *begin(const Build &b, const Atomic &a, const Expr *mine, const Expr *sum, const std::string &words,
                    const Expr *index) {
    return b.when(b.equal(index, b.u64(0)), {b.assign(sum, touched(a, AtomicOp::Or, b.zero(a.type)))},
                  {say(b, words, kOwn, index, mine)});
  }
  /// Behind it: what the next ones start from, and what the call itself does.
  void end(std::vector<const Stmt *> &to, const Build &b, const Atomic &a, const Expr *mine, const Expr *sum,
           const Expr *result, const std::string &words, const Expr *index, const Loop &loop) {
    const Expr *all = declare(to, "all", a.type, b.add(sum, mine), true);
    to.push_back(say(b, words, kAll, index, all));
    to.push_back(b.when(b.equal(b.add(index, b.u64(1)), count(loop)),
                        {arena().make<Evaluate>(a.range, touched(a, AtomicOp::Exchange, all))}));
    to.push_back(b.assign(result, sum));
  }

  /// By the first worker of the unit, word by word.
  const Stmt *lookBackAlone(const Atomic &a, const Expr *mine, const Expr *result, const std::string &words,
                            const Loop &loop) {
    Build b(arena(), a.range);
    const Type u64 = Scalar::U64;
    std::vector<const Stmt *> once, look, found;
    const Expr *index = declare(once, "at", u64, indexIn(b, loop), true);
    const Expr *sum = declare(once, "sum", a.type, b.zero(a.type), false);
    once.push_back(begin(b, a, mine, sum, words, index));
    const Expr *back = declare(once, "back", u64, index, false);
    const Expr *seen = declare(look, "seen", u64, heard(b, words, b.sub(back, b.u64(1))), true);
    const Expr *says = declare(look, "says", u64, saidIn(b, seen), true);
    found.push_back(b.assign(sum, b.add(sumIn(b, seen, a.type), sum)));
    found.push_back(b.assign(back, b.select(b.equal(says, b.u64(kAll)), b.u64(0), b.sub(back, b.u64(1)))));
    look.push_back(b.when(b.binary(BinaryOp::Ne, says, b.u64(0)), found));
    once.push_back(arena().make<While>(a.range, b.less(b.u64(0), back), b.block(look)));
    end(once, b, a, mine, sum, result, words, index, loop);
    return b.block(once);
  }

  /// By lanes, as many words at a time, which they add up among themselves: the nearest is the first lane's, and what
  /// says all keeps out what lies beyond.
  const Stmt *lookBackTogether(const Atomic &a, const Expr *mine, const Expr *result, const std::string &words,
                               const Loop &loop, const hardware::Level &level, std::uint64_t width) {
    Build b(arena(), a.range);
    const Type u64 = Scalar::U64, u32 = Scalar::U32;
    std::vector<const Stmt *> once, look, last;
    const std::string laneName = names_.fresh("lane"), said = names_.fresh("said");
    const Expr *lane = b.var(laneName, u32), *isFirst = b.equal(lane, b.integer(u32, 0));
    const std::vector<const Expr *> extents{b.integer(u32, static_cast<Int>(width))};
    once.push_back(arena().make<Declare>(a.range, said, u64, false, true, extents, nullptr, nullptr));
    auto saidBy = [&](const Expr *of) { return b.element(b.var(said, u64), {of}, u64); };

    const Expr *index = declare(once, "at", u64, indexIn(b, loop), true);
    const Expr *sum = declare(once, "sum", a.type, b.zero(a.type), false);
    once.push_back(b.when(isFirst, {begin(b, a, mine, sum, words, index)}));
    const Expr *back = declare(once, "back", u64, index, false);

    const Expr *far = b.cast(u64, lane);
    const Expr *seen = declare(look, "seen", u64, b.u64(kAll << kSays), false); // in front of the first call is nothing
    const Expr *read = heard(b, words, b.sub(b.sub(back, b.u64(1)), far));
    look.push_back(b.when(b.less(far, back), {arena().make<DoWhile>(a.range, b.block({b.assign(seen, read)}),
                                                                    b.equal(saidIn(b, seen), b.u64(0)))}));
    look.push_back(b.assign(saidBy(lane), seen));
    const std::string step = names_.fresh("s");
    const Expr *s = b.var(step, u32), *here = saidBy(lane);
    std::vector<const Stmt *> add;
    const Expr *beyond = declare(add, "beyond", u64, saidBy(b.add(lane, s)), true);
    const Expr *both = b.binary(BinaryOp::Or, b.mul(saidIn(b, beyond), b.u64(1ull << kSays)),
                                b.cast(u64, b.add(b.cast(u32, here), b.cast(u32, beyond))));
    add.push_back(b.when(b.equal(saidIn(b, here), b.u64(kOwn)), {b.assign(here, both)}));
    look.push_back(arena().make<For>(a.range, b.declare(step, u32, b.integer(u32, 1), false),
                                     b.less(s, extents.front()),
                                     arena().make<Assign>(a.range, u32, AssignOp::Mul, s, b.integer(u32, 2)),
                                     b.block({b.when(b.less(b.add(lane, s), extents.front()), add)})));
    const Expr *nearest = declare(look, "all", u64, saidBy(b.integer(u32, 0)), true);
    look.push_back(b.assign(sum, b.add(sumIn(b, nearest, a.type), sum)));
    look.push_back(
        b.assign(back, b.select(b.equal(saidIn(b, nearest), b.u64(kAll)), b.u64(0), b.sub(back, b.u64(width)))));
    once.push_back(arena().make<While>(a.range, b.less(b.u64(0), back), b.block(look)));
    end(last, b, a, mine, sum, result, words, index, loop);
    once.push_back(b.when(isFirst, last));
    return arena().make<Cooperate>(a.range, laneName, extents.front(), level.name, b.block(once));
  }

  /// The first unit reads what the last one writes, and only the words tell that they come one after the other.
  const Expr *touched(const Atomic &a, AtomicOp op, const Expr *operand) {
    return arena().make<Atomic>(a.range, a.type, op, a.target, std::vector<const Expr *>{operand});
  }

  /// In front of the loop: a word for each call, in which nothing is said, and the one that calls are drawn from.
  void clear(const std::string &words, Around &around) {
    const Loop &loop = *around.loop;
    Build b(arena(), loop.range);
    const Expr *all = b.add(count(loop), b.u64(1));
    const Type u64 = Scalar::U64, u32 = Scalar::U32;
    const hardware::Level &unit = unitOf(loop);
    constexpr std::uint64_t kTogether = 256;
    std::uint64_t width = unit.vector ? hardware::with(hardware_, loop.units).lanes(unit) : kTogether;
    std::string part = names_.fresh("part"), lane = names_.fresh("lane");
    const Expr *within = b.var(lane, unit.vector ? u32 : u64);
    const Expr *at = b.add(b.mul(b.var(part, u64), b.u64(width)), b.cast(u64, within));
    const Expr *word = b.element(b.var(words, Type::array(1, u64)), {at}, u64);
    const Block *each = b.block({b.when(b.less(at, all), {b.assign(word, b.u64(0))})});
    const Stmt *lanes = unit.vector ? static_cast<const Stmt *>(arena().make<Cooperate>(
                                          loop.range, lane, b.integer(u32, static_cast<Int>(width)), unit.name, each))
                                    : arena().make<Loop>(loop.range, lane, u64, b.u64(0), b.u64(width),
                                                         Policy::Serialize, unit.name, Counts{}, each);
    const Expr *parts = b.div(b.add(all, b.u64(width - 1)), b.u64(width));
    around.before.push_back(
        arena().make<Alloc>(loop.range, words, u64, std::vector<const Expr *>{all}, loop.level, ""));
    around.before.push_back(arena().make<Loop>(loop.range, part, u64, b.u64(0), parts, Policy::Distribute, loop.level,
                                               loop.units, b.block({lanes})));
    around.before.push_back(arena().make<Sync>(loop.range, loop.level));
  }

  const hardware::Hardware &hardware_;
  const Storage &storage_;
  Names names_;
  std::vector<Around> around_; // outermost first
};

class SlidingPass final : public Pass {
  const Module *run(const Module *module, PassContext &context) override {
    return context.arena.derive(module, [&](Module &copy) {
      for (const Kernel *&kernel : copy.kernels)
        if (any<Atomic>(kernel->body, [](const Atomic &a) { return isOrdered(&a); }))
          kernel = as<Kernel>(Sliding(context, *kernel).mutate(kernel));
    });
  }
};

} // namespace

TANGRAM_PLUGIN("sliding", "1.0", "lowers orderedAdd") {
  PassDescriptor pass;
  pass.name = "sliding";
  pass.summary = "Makes additions, or a look back at what other units have said, of orderedAdd";
  pass.kind = PassKind::Preparer;
  pass.before = "loop j < n distribute at grid { b = orderedAdd(s[0], v) }";
  pass.after = "loop j < n distribute at grid { words[j] = own v; sum = 0; look back from j - 1, adding to sum, to one "
               "that says all before it; words[j] = all sum + v; b = sum }";
  pass.requires_ = {"flat"};
  pass.excludes = {"launches"};
  pass.establishes = {"unordered"};
  pass.create = [](const OptionValues &) { return std::make_unique<SlidingPass>(); };
  registry.passes.add(std::move(pass));
  registry.properties.add(property(
      "unordered", "no atomic operation has an order", [](const ast::Module &module, const hardware::Target &) {
        Violations found;
        for (const ast::Kernel *kernel : module.kernels)
          collect<ast::Atomic>(found, kernel, [](const ast::Atomic &a) { return isOrdered(&a); });
        return found;
      }));
}
