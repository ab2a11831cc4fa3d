#include "LoadStoreVectorization.h"
#include "Multiples.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Functions.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Walk.h"
#include "tangram/loops/Counted.h"
#include "tangram/loops/Interior.h"
#include "tangram/loops/Jam.h"
#include "tangram/loops/Loads.h"
#include "tangram/loops/Merged.h"
#include "tangram/loops/Sums.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace tangram::load_store_vectorization {

using namespace ast;

namespace {

constexpr unsigned kMostElements = 4; // vectors of device languages have as many

/// An element of an iteration: so far behind a pointer that all iterations have alike.
struct Neighbour {
  const Expr *aligned = nullptr;
  Int offset = 0; // in the iteration whose number is 0
};
using Neighbours = std::map<const Subscript *, Neighbour>;

/// A loop's body in the iteration of this number.
class Iteration final : public Mutator {
public:
  Iteration(Arena &arena, const Loop &loop, const Neighbours &neighbours, Int number)
      : Mutator(arena), loop_(loop), neighbours_(neighbours), number_(number) {}

private:
  const Node *mutateVarRef(const VarRef *v) override {
    return v->name == loop_.var ? Build(arena(), v->range).integer(v->type, number_) : v;
  }
  const Node *mutateSubscript(const Subscript *e) override {
    auto found = neighbours_.find(e);
    if (found == neighbours_.end()) return rebuild(e);
    Build b(arena(), e->range);
    return b.element(found->second.aligned, {b.integer(Scalar::I64, found->second.offset + number_)}, e->type);
  }

  const Loop &loop_;
  const Neighbours &neighbours_;
  const Int number_;
};

/// A sum without the literals that are added to it, and these.
struct Split {
  const Expr *rest = nullptr; // null: 0
  Int offset = 0;
};
Split split(Arena &arena, const Expr *e) {
  if (const std::optional<Int> value = literal(e)) return {nullptr, *value};
  const auto *sum = dyn<Binary>(e);
  if (!sum || sum->op != BinaryOp::Add) return {e, 0};
  const Split lhs = split(arena, sum->lhs), rhs = split(arena, sum->rhs);
  const Expr *rest = lhs.rest && rhs.rest ? Build(arena, e->range).add(lhs.rest, rhs.rest)
                     : lhs.rest           ? lhs.rest
                                          : rhs.rest;
  return {rest, lhs.offset + rhs.offset};
}

/// Elements of arrays in scratchpad memory that are narrower than its banks, by pointers that are known to be aligned.
class NarrowElements final : public Mutator {
public:
  NarrowElements(Arena &arena, const KnownValues &known, const Counters &counters, const std::set<std::string> &arrays,
                 unsigned bytes)
      : Mutator(arena), known_(known), counters_(counters), arrays_(arrays), bytes_(bytes) {}

private:
  const Node *mutateSubscript(const Subscript *e) override {
    const auto *array = dyn<VarRef>(e->base);
    const unsigned bytes = e->type.bytes();
    if (!array || !arrays_.count(array->name) || !bytes || bytes >= kBank || e->type.isBool() || e->indices.size() != 1)
      return rebuild(e);
    const auto *converted = dyn<Cast>(e->indices[0]);
    const Expr *number = converted && converted->operand->type.isInteger() ? converted->operand : e->indices[0];
    const Split index = split(arena(), number);
    static const std::set<std::string> kNone;
    Int elements = std::min(kMostElements, bytes_ / bytes);
    for (Multiples multiples(arena(), known_, counters_, kNone);
         elements > 1 && index.rest && !multiples.demand(index.rest, elements);)
      elements /= 2;
    if (elements < 2) return rebuild(e);
    // Where the vector begins is a multiple, too, if it wraps around: from there to its elements nothing does.
    Build b(arena(), e->range);
    const Int inside = index.offset & (elements - 1);
    const Expr *first = b.integer(number->type, index.offset - inside);
    if (index.rest) first = index.offset == inside ? index.rest : b.add(index.rest, first);
    const Expr *pointer = b.add(e->base, b.cast(e->indices[0]->type, first));
    const Expr *aligned = arena().make<Aligned>(e->range, e->base->type, pointer, elements * bytes);
    return b.element(aligned, {b.integer(Scalar::I64, inside)}, e->type);
  }
  // What is written keeps its place.
  const Node *mutateTransfer(const Transfer *e) override { return e; }
  const Node *mutateAtomic(const Atomic *e) override { return e; }
  const Node *mutateUnary(const Unary *e) override { return hasEffects(e) ? e : rebuild(e); }
  const Node *mutateAssign(const Assign *e) override {
    const Expr *value = mutateAs(e->value);
    return value == e->value ? e : arena().derive(e, [&](Assign &copy) { copy.value = value; });
  }

  static constexpr unsigned kBank = 4; // bytes
  const KnownValues &known_;
  const Counters &counters_;
  const std::set<std::string> &arrays_;
  const unsigned bytes_;
};

class Vectorizing final : public Mutator {
public:
  Vectorizing(PassContext &context, const Module &module, const Kernel &kernel, const Limits &limits)
      : Mutator(context.arena), known_(context.analyses.of<KnownValues>(kernel)), memory_(kernel), module_(module),
        functions_(functionsOfNumbers(module)), limits_(limits) {
    names_.reserveAll(&kernel);
    for (const Param *p : kernel.params) ofHost_.insert(p->name);
    for (const Param *p : kernel.constants) ofHost_.insert(p->name);
    walk(kernel.body, [&](const Node &n) {
      if (isa<Launch>(&n)) return WalkResult::Skip;
      const auto *declared = dyn<Declare>(&n);
      if (declared && known_.isFixed(declared->name)) ofHost_.insert(declared->name);
      return WalkResult::Advance;
    });
  }

private:
  const Node *mutateLaunch(const Launch *launch) override {
    uniform_ = ofHost_;
    for (const Param *p : launch->params) uniform_.insert(p->name);
    scratchpad_.clear();
    walk(launch->body, [&](const Alloc &a) {
      if (a.memory != "registers" && !memory_.far(a.name)) scratchpad_.insert(a.name);
    });
    counters_.clear();
    walk(launch->body, [&](const Stmt &s) {
      const std::optional<loops::Counted> loop = loops::isLoop(s) ? loops::counted(arena(), &s) : std::nullopt;
      if (!loop || !loop->begin) return;
      const std::optional<Int> begin = literal(loop->begin), step = literal(loop->step);
      if (begin && step.value_or(0) > 0) counters_[loop->variable] = std::gcd(*begin, *step);
    });
    inLaunch_ = true;
    const Node *result = rebuild(launch);
    inLaunch_ = false;
    return result;
  }
  const Node *mutateFor(const For *loop) override {
    const Stmt *result = inLaunch_ ? vectorized(loop) : nullptr;
    return result ? result : iterated(loop);
  }
  const Node *mutateWhile(const While *loop) override { return iterated(loop); }
  const Node *mutateDoWhile(const DoWhile *loop) override { return iterated(loop); }
  const Node *mutateLoop(const Loop *loop) override {
    const Stmt *result = inLaunch_ ? vectorized(loop) : nullptr;
    return result ? result : iterated(loop);
  }
  template <class T> const Node *iterated(const T *loop) {
    const bool around = std::exchange(besideLong_, besideLong_ && !isLong(loop));
    const Node *result = rebuild(loop);
    besideLong_ = around;
    return result;
  }

  const Node *mutateBlock(const Block *block) override {
    // Beside a loop of many iterations a short one is not where time goes: what it loads would be kept in registers
    // all the while, where a compiler may load it again.
    const bool around = besideLong_;
    besideLong_ |= std::any_of(block->stmts.begin(), block->stmts.end(), isLong);
    const auto *own = as<Block>(rebuild(block));
    besideLong_ = around;
    if (!inLaunch_ || scratchpad_.empty() || contains<Check>(own)) return own;
    NarrowElements narrow(arena(), known_, counters_, scratchpad_, limits_.bytes);
    std::vector<const Stmt *> stmts;
    for (const Stmt *s : own->stmts) stmts.push_back(isa<Declare>(s) || isa<Evaluate>(s) ? narrow(s) : s);
    if (stmts == own->stmts) return own;
    const Block *merged = Build(arena(), own->range).block(loops::merged(arena(), names_, memory_, std::move(stmts)));
    return contains<VectorLoad>(merged) || contains<VectorStore>(merged) ? merged : own;
  }

  /// What computes for long is not written twice for the sake of its loads; functions like min are short expressions.
  bool isShort(const Call &call) const {
    constexpr std::size_t kShort = 16; // nodes
    const Function *f = functionOfExpression(module_, call);
    return f && nodeCount(f->body) <= kShort && !contains<Call>(f->body);
  }

  static bool isLong(const Stmt *s) {
    if (const auto *body = dyn<Block>(s)) return std::any_of(body->stmts.begin(), body->stmts.end(), isLong);
    const auto *loop = dyn<For>(s);
    const auto *cond = loop ? dyn<Binary>(loop->cond) : nullptr;
    return loops::isLoop(*s) && !(cond && literal(cond->rhs));
  }

  /// Null where nothing of it lies side by side, or limits forbid it.
  const Stmt *vectorized(const Stmt *s) {
    const std::optional<loops::Counted> counted = besideLong_ ? std::nullopt : loops::counted(arena(), s);
    if (!counted || !counted->begin) return nullptr;
    const std::optional<Int> begin = literal(counted->begin), end = literal(counted->end),
                             step = literal(counted->step);
    if (!begin || !end || step != 1 || *end - *begin < 2 || *end - *begin > limits_.iterations) return nullptr;
    const Int iterations = *end - *begin;
    if (nodeCount(counted->body) * static_cast<std::size_t>(iterations) > limits_.nodes ||
        !loops::mergeable(counted->body, functions_) ||
        any<Stmt>(counted->body, [](const Stmt &inner) { return loops::isLoop(inner); }) ||
        contains<Atomic>(counted->body) || any<Call>(counted->body, [&](const Call &call) { return !isShort(call); }))
      return nullptr;
    const auto *loop = arena().make<Loop>(s->range, counted->variable, counted->type, counted->begin, counted->end,
                                          Policy::Unroll, std::string(), Counts(), counted->body);
    Multiples multiples(arena(), known_, counters_, uniform_);
    const loops::Copies copies(*loop, {});
    loops::Sums sums(arena(), *loop, copies);
    const Neighbours neighbours = neighboursOf(*loop, iterations, sums, multiples);
    if (neighbours.empty()) return nullptr;
    std::vector<const Stmt *> stmts;
    for (Int number = *begin; number < *end; ++number) {
      const Block *body = as<Block>(Iteration(arena(), *loop, neighbours, number)(counted->body));
      const Loop *copy = arena().derive(loop, [&](Loop &made) { made.body = body; });
      const Block *own = as<Loop>(withOwnNames(arena(), copy, names_))->body;
      stmts.insert(stmts.end(), own->stmts.begin(), own->stmts.end());
    }
    Build b(arena(), s->range);
    const Block *merged = b.block(loops::merged(arena(), names_, memory_, std::move(stmts)));
    if (!contains<VectorLoad>(merged) && !contains<VectorStore>(merged)) return nullptr;
    const Expr *aligned = multiples.condition();
    const Expr *same =
        loops::keepValues(arena(), sums, b.integer(Scalar::U64, *begin), b.integer(Scalar::U64, *end - 1));
    if (same) aligned = aligned ? b.both(aligned, same) : same;
    return aligned ? static_cast<const Stmt *>(b.when(aligned, merged->stmts, {s})) : merged;
  }

  Neighbours neighboursOf(const Loop &loop, Int iterations, loops::Sums &sums, Multiples &multiples) {
    Neighbours found;
    walk(loop.body, [&](const Subscript &place) {
      const unsigned bytes = place.type.bytes();
      if (!bytes || place.type.isBool() || place.type.isHalf() || place.indices.size() != 1) return;
      if (!isa<VarRef>(place.base) || !place.base->type.isPointer() || !memory_.far(memory_.root(place.base))) return;
      unsigned elements = std::min(kMostElements, limits_.bytes / bytes);
      while (elements > iterations) elements /= 2;
      std::optional<loops::Sums::Sum> sum = elements > 1 ? sums.of(place.indices[0]) : std::nullopt;
      if (!sum || loops::Sums::coefficient(*sum, {loops::Sums::kIteration}) != 1) return;
      const Int offset = loops::Sums::coefficient(*sum, {});
      sum->erase(loops::Sums::Product{});
      sum->erase(loops::Sums::Product{loops::Sums::kIteration});
      if (std::any_of(sum->begin(), sum->end(), [&](const auto &term) { return !sums.invariant(term.first); })) return;
      Build b(arena(), place.range);
      const Expr *pointer = sum->empty() ? place.base : b.add(place.base, sums.written(*sum, nullptr));
      const Int alignment = Int{elements} * bytes;
      if (multiples.demand(pointer, alignment))
        found[&place] = {arena().make<Aligned>(place.range, place.base->type, pointer, alignment), offset};
    });
    return found;
  }

  const KnownValues &known_;
  loops::Memory memory_;
  const Module &module_;
  const std::set<std::string> functions_;
  const Limits &limits_;
  Names names_;
  Counters counters_;                      // of the launch
  std::set<std::string> scratchpad_;       // its arrays
  std::set<std::string> ofHost_, uniform_; // variables that all workers of a launch have alike
  bool inLaunch_ = false, besideLong_ = false;
};

} // namespace

void LoadStoreVectorization::start(const Module &module) { module_ = &module; }

const Kernel *LoadStoreVectorization::kernel(const Kernel *kernel, PassContext &context,
                                             const hardware::LaunchLevels &) {
  return as<Kernel>(Vectorizing(context, *module_, *kernel, limits_)(kernel));
}

} // namespace tangram::load_store_vectorization
