#include "Widened.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/loops/Extremes.h"
#include "tangram/loops/Interior.h"
#include "tangram/loops/Jam.h"
#include "tangram/loops/Loads.h"
#include "tangram/loops/Merged.h"
#include "tangram/loops/UniformTrips.h"

#include <algorithm>

namespace tangram::coarsening {

using namespace ast;

namespace {

/// Accesses by a pointer that is aligned, a number of elements from it: `iteration` is the chunk's first one, and
/// `variable - iteration` how far it is to that of a copy.
class ByAlignedPointers final : public Mutator {
public:
  ByAlignedPointers(Arena &arena, const Accesses &accesses, const Alignment &alignment, const loops::Sums &sums,
                    const Expr *iteration, const Expr *distance)
      : Mutator(arena), alignment_(alignment), sums_(sums), iteration_(iteration), distance_(distance) {
    for (const Access &access : accesses.list())
      if (alignment.of(access)) accesses_[access.place] = &access;
  }

private:
  const Node *mutateSubscript(const Subscript *e) override {
    auto found = accesses_.find(e);
    if (found == accesses_.end()) return rebuild(e);
    const Access &access = *found->second;
    Build b(arena(), e->range);
    loops::Sums::Sum start = access.sum;
    const Int origin = alignment_.origin(access);
    if (origin != 0) start[{}] = origin;
    const Expr *pointer = b.add(e->base, sums_.written(start, iteration_));
    const Expr *aligned = arena().make<Aligned>(e->range, e->base->type, pointer, Int{alignment_.of(access)});
    const Expr *steps = b.mul(distance_, b.integer(Scalar::I64, access.step));
    return b.element(aligned, {b.add(steps, b.integer(Scalar::I64, access.offset - origin))}, e->type);
  }

  const Alignment &alignment_;
  const loops::Sums &sums_;
  const Expr *iteration_, *distance_;
  std::map<const Subscript *, const Access *> accesses_;
};

/// How far a copy's iteration is from the first one, as a number.
class Distances final : public Mutator {
public:
  Distances(Arena &arena, std::map<std::string, Int> numbers) : Mutator(arena), numbers_(std::move(numbers)) {}

private:
  const Node *mutateCast(const Cast *e) override {
    const auto *difference = dyn<Binary>(e->operand);
    const auto *variable = difference && difference->op == BinaryOp::Sub ? dyn<VarRef>(difference->lhs) : nullptr;
    auto number = variable ? numbers_.find(variable->name) : numbers_.end();
    return number == numbers_.end() ? rebuild(e) : Build(arena(), e->range).integer(e->type, number->second);
  }
  const Node *mutateBinary(const Binary *e) override {
    const Expr *lhs = mutateAs(e->lhs), *rhs = mutateAs(e->rhs);
    return lhs == e->lhs && rhs == e->rhs ? e : Build(arena(), e->range).binary(e->op, lhs, rhs);
  }

  std::map<std::string, Int> numbers_;
};

/// Registers of each copy of the loop's body for what lives through a loop in it.
std::size_t live(const Block *body, const loops::Copies &copies) {
  std::size_t most = 0;
  walk(body, [&](const Stmt &s) {
    if (loops::isLoop(s)) most = std::max(most, copies.live(&s));
  });
  return most;
}

class Widening {
public:
  Widening(Arena &arena, Names &names, const Module &module, const loops::Memory &memory, const LaneLoop &lanes,
           const Limits &limits, const std::set<std::string> &scalars)
      : arena_(arena), names_(names), module_(module), memory_(memory), lanes_(lanes), limits_(limits),
        scalars_(scalars), type_(lanes.loop.type), b_(arena, lanes.loop.loop->range) {}

  const Stmt *run() {
    const loops::Counted &counted = lanes_.loop;
    const auto *own =
        arena_.make<Loop>(lanes_.loop.loop->range, counted.variable, type_, b_.integer(type_, 0), counted.end,
                          Policy::Unroll, std::string(), Counts(), loops::withExtremes(arena_, module_, counted.body));
    const Loop *all = as<Loop>(withOwnNames(arena_, own, names_));
    loops::Copies copies(*all, {});
    loops::Sums sums(arena_, *all, copies);
    if (!copies.possible() || !Accesses(*all, memory_, sums).possible()) return nullptr;
    loops::Sums compared(arena_, *all, copies);
    loops::Interior interior(arena_, *all, copies, compared, scalars_);
    const Loop *inside =
        loops::withUniformTrips(arena_, names_, *as<Loop>(withOwnNames(arena_, interior.loop(), names_)));
    loops::Copies insideCopies(*inside, {});
    loops::Sums indices(arena_, *inside, insideCopies);
    Accesses accesses(*inside, memory_, indices);
    if (!insideCopies.possible() || !accesses.possible() || accesses.widest() == 0) return nullptr;

    unsigned factor = std::min(limits_.iterations, limits_.bytes / accesses.widest());
    const std::size_t values = live(inside->body, insideCopies), nodes = nodeCount(inside->body);
    while (factor > 1 && (factor * values > limits_.registers || factor * nodes > limits_.nodes)) factor /= 2;
    if (factor < 2) return nullptr;

    std::vector<const Stmt *> stmts;
    const Expr *first = constant(counted.variable + "_first", lanes_.base, stmts);
    const Expr *end = constant(counted.variable + "_end", counted.end, stmts);
    Alignment alignment(arena_, accesses, indices, first, factor, limits_.bytes);
    if (!alignment.any()) return nullptr;
    const Expr *none = b_.u64(0);
    const Expr *count = constant(counted.variable + "_count",
                                 b_.select(b_.less(first, end), b_.cast(Scalar::U64, b_.sub(end, first)), none), stmts);
    const Expr *peel = constant(counted.variable + "_peel", alignment.peel(), stmts);
    const Expr *aligned = alignment.holds(peel), *size = b_.u64(factor);
    const bool longs = any<Stmt>(inside->body, [](const Stmt &s) { return loops::isLoop(s); });
    // Half of the lanes with a chunk each are as fast as all of them with an iteration.
    const Expr *enough = longs ? fewerRounds(count, peel, factor)
                               : b_.less(b_.u64(factor * static_cast<std::uint64_t>(lanes_.lanes) / 2 - 1), count);

    // Chunks, and then iterations one by one: those in front of the first chunk, and those behind the last one.
    std::vector<const Stmt *> wide;
    const Expr *chunks = constant(counted.variable + "_chunks", b_.div(b_.sub(count, peel), size), wide);
    const Expr *items = constant(counted.variable + "_items", b_.sub(count, b_.mul(chunks, b_.u64(factor - 1))), wide);
    const std::string item = names_.fresh(counted.variable + "_item");
    const Expr *now = b_.var(item, Scalar::U64);
    std::vector<const Stmt *> body;
    const Expr *whole = constant(counted.variable + "_whole", b_.less(now, chunks), body);
    const Expr *single = b_.sub(now, chunks);
    const Expr *from = b_.select(whole, b_.add(peel, b_.mul(now, size)),
                                 b_.select(b_.less(single, peel), single, b_.add(single, b_.mul(chunks, size))));
    const Expr *at = constant(counted.variable + "_from", b_.add(first, b_.cast(type_, from)), body);
    const Expr *at64 = b_.cast(Scalar::U64, at);
    const Expr *last = b_.cast(Scalar::U64, b_.add(at, b_.integer(type_, factor - 1)));
    const Expr *fast = whole;
    for (const Expr *condition : {interior.holds(at64, last), loops::keepValues(arena_, indices, at64, last)})
      if (condition) fast = b_.both(fast, condition);
    body.push_back(
        b_.when(fast, chunk(*inside, accesses, alignment, indices, at, factor), oneByOne(*all, whole, at, factor)));
    wide.push_back(counting(item, b_.cast(Scalar::U64, lanes_.lane), items,
                            b_.u64(static_cast<std::uint64_t>(lanes_.lanes)), b_.block(std::move(body))));
    stmts.push_back(b_.when(aligned ? b_.both(enough, aligned) : enough, std::move(wide), {counted.loop}));
    return b_.block(std::move(stmts));
  }

private:
  const Expr *constant(const std::string &hint, const Expr *value, std::vector<const Stmt *> &stmts) {
    if (isa<IntLit>(value)) return value;
    const std::string name = names_.fresh(hint);
    stmts.push_back(b_.declare(name, value->type, value));
    return b_.var(name, value->type);
  }

  /// Whether lanes come less often to iterations with loops in them, whose time is theirs, and most lanes have some:
  /// once more where some are left over, for lanes that do different things wait for each other.
  const Expr *fewerRounds(const Expr *count, const Expr *peel, unsigned factor) const {
    const Expr *size = b_.u64(factor), *lanes = b_.u64(static_cast<std::uint64_t>(lanes_.lanes)), *one = b_.u64(1);
    const auto rounds = [&](const Expr *items) { return b_.div(b_.sub(b_.add(items, lanes), one), lanes); };
    const Expr *whole = b_.div(b_.sub(count, peel), size);
    const Expr *left = b_.select(b_.less(b_.mul(whole, size), count), one, b_.u64(0));
    // Lanes by 3/4, of those that take part in all rounds.
    const Expr *busy = b_.mul(rounds(whole), b_.u64(3 * static_cast<std::uint64_t>(lanes_.lanes) / 4));
    return b_.both(b_.less(peel, count),
                   b_.both(b_.less(busy, whole), b_.less(b_.add(rounds(whole), left), rounds(count))));
  }

  const Stmt *counting(const std::string &variable, const Expr *begin, const Expr *end, const Expr *step,
                       const Block *body) const {
    const Expr *v = b_.var(variable, Scalar::U64);
    return arena_.make<For>(lanes_.loop.loop->range, b_.declare(variable, Scalar::U64, begin, false), b_.less(v, end),
                            arena_.make<Assign>(lanes_.loop.loop->range, Scalar::U64, AssignOp::Add, v, step), body);
  }

  /// The iterations of a chunk, or where it is no `whole` one the first of them. They are few: no loop to make more of.
  std::vector<const Stmt *> oneByOne(const Loop &loop, const Expr *whole, const Expr *at, unsigned factor) {
    const std::string turn = names_.fresh(lanes_.loop.variable + "_turn");
    const Expr *now = b_.var(turn, type_);
    const Expr *next = arena_.make<Unary>(lanes_.loop.loop->range, type_, UnaryOp::PreInc, now);
    std::vector<const Stmt *> body{b_.declare(loop.var, type_, b_.add(at, now)), loop.body,
                                   arena_.make<Evaluate>(next->range, next)};
    const Expr *turns = b_.select(whole, b_.integer(type_, factor), b_.integer(type_, 1));
    return {b_.declare(turn, type_, b_.integer(type_, 0), false),
            arena_.make<While>(lanes_.loop.loop->range, b_.less(now, turns), b_.block(std::move(body)))};
  }

  /// `factor` iterations from `at` on.
  std::vector<const Stmt *> chunk(const Loop &inside, const Accesses &accesses, const Alignment &alignment,
                                  const loops::Sums &sums, const Expr *at, unsigned factor) {
    const Expr *variable = b_.var(inside.var, type_);
    const Expr *distance =
        arena_.make<Cast>(lanes_.loop.loop->range, Scalar::I64,
                          arena_.make<Binary>(lanes_.loop.loop->range, type_, BinaryOp::Sub, variable, at));
    const Block *aligned =
        ByAlignedPointers(arena_, accesses, alignment, sums, b_.cast(Scalar::U64, at), distance)(inside.body);
    const Loop *loop = arena_.derive(&inside, [&](Loop &copy) { copy.body = aligned; });
    loops::Copies copies(*loop, {});
    std::vector<const Stmt *> stmts = loops::Jam(arena_, names_, *loop, copies).run(at, factor);
    std::map<std::string, Int> numbers; // of copies, by their variable
    for (unsigned u = 0; u < factor; ++u) numbers[as<Declare>(stmts[u])->name] = u;
    Distances distances(arena_, std::move(numbers));
    for (const Stmt *&s : stmts) s = distances(s);
    return loops::merged(arena_, names_, memory_, std::move(stmts));
  }

  Arena &arena_;
  Names &names_;
  const Module &module_;
  const loops::Memory &memory_;
  const LaneLoop &lanes_;
  const Limits &limits_;
  const std::set<std::string> &scalars_;
  const Type type_;
  Build b_;
};

} // namespace

const Stmt *widened(Arena &arena, Names &names, const Module &module, const loops::Memory &memory,
                    const LaneLoop &lanes, const Limits &limits, const std::set<std::string> &scalars) {
  return Widening(arena, names, module, memory, lanes, limits, scalars).run();
}

} // namespace tangram::coarsening
