// Which loops, and how far.
#include "UnrollAndJam.h"
#include "tangram/loops/Jam.h"
#include "tangram/loops/Loads.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/KnownValues.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/hardware/Units.h"

#include <algorithm>

namespace tangram::jam {

using namespace ast;
using loops::Copies, loops::isLoop, loops::Jam;

namespace {

constexpr std::size_t kMostNodes = 6000; // of all copies together
constexpr Int kMostUnrolled = 16;
constexpr std::uint64_t kChunks = 4; // that each worker must have for copies to be worth their imbalance

/// An innermost loop of numbers, not vectors, whose iterations wait for a value of the one before.
bool isChain(const Stmt *inner, const Copies &copies) {
  return !contains<VectorLoad>(inner) && copies.carried(inner) > 0 &&
         !any<Stmt>(inner, [&](const Stmt &deeper) { return &deeper != inner && isLoop(deeper); });
}

/// Something that is read in an inner loop and is the same for all copies: it is then read once.
bool reuses(const Stmt *inner, const Copies &copies) {
  return any<Expr>(inner, [&](const Expr &e) {
    const auto *subscript = dyn<Subscript>(&e);
    const auto *load = dyn<VectorLoad>(&e);
    const Expr *base = subscript ? subscript->base : load ? load->base : nullptr;
    return base && base->type.isPointer() && base->type.toConst() && !copies.differs(&e);
  });
}

class Jamming final : public Mutator {
public:
  Jamming(const Kernel &kernel, PassContext &context, unsigned factor, unsigned chains, unsigned registers)
      : Mutator(context.arena), context_(context), kernel_(kernel), known_(context.analyses.of<KnownValues>(kernel)),
        factor_(factor), chains_(chains), registers_(registers) {
    names_.reserveAll(&kernel);
    walk(&kernel, [&](const Alloc &a) {
      if (!a.memory.empty() && a.memory != "registers") shared_.insert(a.name);
    });
  }

  const Kernel *run() { return freeze(arena(), (*this)(&kernel_), frozen_); }

private:
  const Node *mutateLoop(const Loop *loop) override {
    const auto *inner = as<Loop>(rebuild(loop));
    if (loop->policy == Policy::Unroll)
      if (const Stmt *all = unrolled(inner)) return all;
    if (inner != loop) return inner;
    Copies copies(*loop, shared_);
    unsigned factor = copies.possible() ? factorFor(*loop, copies) : 1;
    return factor > 1 && !isShort(*loop, factor) ? jammed(*loop, copies, factor) : loop;
  }

  /// Whether it is known to have too few iterations for any to run together.
  bool isShort(const Loop &loop, unsigned factor) const {
    const std::optional<Int> begin = known_.value(loop.begin), end = known_.value(loop.end);
    return begin && end && *end - *begin < leastCount(loop, factor);
  }
  Int leastCount(const Loop &loop, unsigned factor) const {
    const std::uint64_t workers = workersOf(loop); // few iterations are shared out better one by one
    return static_cast<Int>(workers > 1 ? factor * kChunks * workers : factor);
  }

  /// All iterations side by side, where it is known how many they are and loops in them then run together; else null:
  /// compilers of what is generated are told.
  const Stmt *unrolled(const Loop *loop) {
    if (loops::isLeaf(loop->body)) return loop;
    std::set<std::string> used;
    std::optional<Int> begin = known_.value(loop->begin, &used), end = known_.value(loop->end, &used);
    if (!begin || !end || *end - *begin < 2 || *end - *begin > kMostUnrolled) return nullptr;
    Copies copies(*loop, shared_);
    auto count = static_cast<unsigned>(*end - *begin);
    if (!copies.possible() || nodeCount(loop->body) * count > kMostNodes) return nullptr;
    frozen_.insert(used.begin(), used.end());
    Build b(arena(), loop->range);
    return b.block(Jam(arena(), names_, *loop, copies).run(b.integer(loop->varType, *begin), count));
  }

  unsigned factorFor(const Loop &loop, const Copies &copies) const {
    std::size_t most = 0;
    bool worthwhile = false, chain = false, apart = false;
    walk(loop.body, [&](const Stmt &s) {
      if (!isLoop(s)) return;
      if (!copies.together(&s)) {
        apart = true;
        return;
      }
      if (!any<Stmt>(&s, [&](const Stmt &deeper) { return &deeper != &s && isLoop(deeper); }))
        most = std::max(most, copies.carried(&s));
      worthwhile |= loop.policy != Policy::Unroll && reuses(&s, copies);
      chain |= isChain(&s, copies);
    });
    unsigned factor = std::max(worthwhile ? factor_ : 1, chain && !apart ? chains_ : 1);
    if (most) factor = std::min(factor, static_cast<unsigned>(registers_ / most));
    while (factor > 1 && nodeCount(loop.body) * factor > kMostNodes) --factor;
    return factor;
  }

  const Node *jammed(const Loop &loop, const Copies &copies, unsigned factor) {
    Build b(arena(), loop.range);
    const Type &type = loop.varType;
    std::vector<const Stmt *> stmts;
    auto constant = [&](const std::string &hint, const Expr *value) {
      if (isa<IntLit>(value)) return value;
      std::string name = names_.fresh(hint);
      stmts.push_back(b.declare(name, type, value));
      return b.var(name, type);
    };
    const Expr *begin = constant(loop.var + "_first", loop.begin), *end = constant(loop.var + "_end", loop.end);
    const Expr *copiesOf = b.integer(type, factor), *none = b.integer(type, 0);
    const Expr *count = isLiteral(begin, 0)
                            ? end
                            : constant(loop.var + "_count", b.select(b.less(begin, end), b.sub(end, begin), none));
    const Expr *chunks = b.div(count, copiesOf);
    if (const Int least = leastCount(loop, factor); least > static_cast<Int>(factor))
      chunks = b.select(b.less(count, b.integer(type, least)), none, chunks);
    chunks = constant(loop.var + "_chunks", chunks);
    const Expr *done = constant(loop.var + "_rest", b.add(begin, b.mul(chunks, copiesOf)));

    const Loop *rest = as<Loop>(withOwnNames(arena(), &loop, names_));
    std::string chunk = names_.fresh(loop.var + "_chunk");
    const Expr *first = b.add(begin, b.mul(b.var(chunk, type), copiesOf));
    const Block *body = b.block(Jam(arena(), names_, loop, copies).run(first, factor));
    stmts.push_back(arena().derive(&loop, [&](Loop &copy) {
      if (copy.policy == Policy::Unroll) copy.policy = Policy::Serialize;
      copy.var = chunk;
      copy.begin = none;
      copy.end = chunks;
      copy.body = body;
    }));
    rest = arena().derive(rest, [&](Loop &copy) {
      copy.begin = done;
      copy.end = end;
    });
    if (const Stmt *left = b.when(b.less(done, end), {rest})) stmts.push_back(left);
    return b.block(std::move(stmts));
  }

  /// Among whom the loop's iterations are shared out; 1: one worker does them all.
  std::uint64_t workersOf(const Loop &loop) const {
    const hardware::Hardware hardware = hardware::with(context_.target.hardware, loop.units);
    const hardware::Level *level = loop.policy == Policy::Distribute ? hardware.find(loop.level) : nullptr;
    const hardware::Level *below = level ? hardware.below(*level) : nullptr;
    return below ? std::max<std::uint64_t>(1, below->workers.count) : 1;
  }

  PassContext &context_;
  const Kernel &kernel_;
  const KnownValues &known_;
  Names names_;
  std::set<std::string> frozen_; // constants that unrolling rests on
  std::set<std::string> shared_;
  unsigned factor_, chains_, registers_;
};

} // namespace

const Kernel *UnrollAndJam::kernel(const Kernel *kernel, const Module &, PassContext &context) {
  return Jamming(*kernel, context, factor_, chains_, registers_).run();
}

} // namespace tangram::jam
