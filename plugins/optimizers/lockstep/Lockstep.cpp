// The pass: finds what runs on lanes and has it written as vector code.
#include "Lockstep.h"
#include "Lanes.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/KnownValues.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/hardware/Units.h"
#include "tangram/loops/DataWidth.h"
#include "tangram/loops/Extremes.h"
#include "tangram/loops/Interior.h"
#include "tangram/loops/Jam.h"
#include "tangram/loops/Loads.h"
#include "tangram/loops/UniformTrips.h"

#include <bit>

namespace tangram::lockstep {

using namespace ast;

namespace {

constexpr DiagnosticKind kCannot{"lockstep.cannot", DiagnosticClass::Limitation,
                                 "lanes that cooperate at level '{}' cannot do this together: {}",
                                 "write it differently, or in a codelet that is not cooperative"};
constexpr DiagnosticKind kWidth{"lockstep.width", DiagnosticClass::Limitation,
                                "{} lanes cooperate at level '{}'; at most {} can",
                                "give the level fewer workers in the target file"};
constexpr DiagnosticKind kUnknownWidth{"lockstep.unknown-width", DiagnosticClass::Limitation,
                                       "how many lanes cooperate at level '{}' is known only when the kernel runs",
                                       "say the number in the target file"};
constexpr DiagnosticKind kScalar{
    "lockstep.scalar", DiagnosticClass::Limitation, "the lanes of level '{}' run one after the other, for want of {}",
    "it is right all the same; write it differently to have vector code", Severity::Warning};

constexpr std::uint64_t kMostLanes = 256;
constexpr std::size_t kWrittenTwice = 2000; // nodes of a loop that is written once more for lanes far from its ends
constexpr std::uint64_t kRegisters = 4;     // vectors that a loop over lanes may spread over instead of looping

class Lowering final : public Mutator {
public:
  Lowering(const Module &module, const Kernel &kernel, PassContext &context, bool warns)
      : Mutator(context.arena), module_(module), kernel_(kernel), context_(context), warns_(warns),
        known_(context.analyses.of<KnownValues>(kernel)), assigned_(assignedVariables(kernel.body)) {
    names_.reserveAll(&kernel);
    scalars_ = loops::scalarParameters(module_, kernel);
  }

  const Kernel *run() {
    const Kernel *result = as<Kernel>(mutate(&kernel_));
    return freeze(arena(), result, frozen_);
  }

private:
  /// The value of an expression where compilation knows it. Constants that it rests on are no tunables any more: code
  /// is made for their value.
  std::optional<Int> known(const Expr *e) {
    std::set<std::string> used;
    std::optional<Int> value = known_.value(e, &used);
    if (value) frozen_.merge(used);
    return value;
  }

  std::uint64_t lanesOf(const Loop &loop, const hardware::Level &level) const {
    const hardware::Hardware machine = hardware::with(context_.target.hardware, loop.units);
    return std::bit_floor(std::max<std::uint64_t>(1, machine.lanes(level)));
  }

  const Node *mutateLoop(const Loop *loop) override {
    const hardware::Level *level = context_.target.hardware.find(loop->level);
    bool unrolled = loop->policy == Policy::Unroll || (level && loop->policy == Policy::Distribute && !level->vector &&
                                                       hardware::areIterations(level->sync));
    if (unrolled) return sideBySide(loop);
    if (!level || !level->vector || loop->policy != Policy::Distribute) return rebuild(loop);
    std::set<std::string> frozen = frozen_;
    try {
      return distributed(loop, *level);
    } catch (const Unsupported &reason) {
      frozen_ = std::move(frozen);
      if (warns_) context_.diags.report(kScalar, reason.range, loop->level, reason.what);
      return rebuild(loop);
    }
  }

  /// Unrolled iterations of scalar code.
  const Node *sideBySide(const Loop *loop) {
    std::set<std::string> frozen = frozen_;
    try {
      Build b(arena(), loop->range);
      const Loop *unrolled = arena().derive(loop, [](Loop &copy) { copy.policy = Policy::Unroll; });
      if (contains<Cooperate>(loop->body)) throw Unsupported{loop->range, "scalar iterations"};
      Region region{b.block({unrolled}), "", false, loop->level};
      Lanes one(arena(), names_, module_, region, 1, [this](const Expr *e) { return known(e); });
      return b.block(one.run(b.u64(0), Scalar::U64, nullptr));
    } catch (const Unsupported &) {
      frozen_ = std::move(frozen);
      return rebuild(loop);
    }
  }

  const Node *distributed(const Loop *loop, const hardware::Level &level) {
    loop = loops::withUniformTrips(arena(), names_, *loop);
    Region region{loop->body, loop->var, false, loop->level};
    Build b(arena(), loop->range);
    std::uint64_t width = lanesOf(*loop, level);
    std::optional<Int> begin = known(loop->begin), end = known(loop->end);
    auto lowering = [&](std::uint64_t lanes) {
      return Lanes(arena(), names_, module_, region, static_cast<unsigned>(lanes),
                   [this](const Expr *e) { return known(e); });
    };
    if (begin && end && *begin >= 0) {
      std::uint64_t trip = *end > *begin ? static_cast<std::uint64_t>(*end - *begin) : 0;
      if (trip <= 1) throw Unsupported{loop->range, "a second lane"};
      if (trip <= width * kRegisters) {
        std::uint64_t lanes = std::bit_ceil(trip);
        Lanes whole = lowering(lanes);
        return b.block(whole.run(loop->begin, loop->varType, trip < lanes ? lowest(trip, lanes) : nullptr));
      }
    }
    if (width < 2) throw Unsupported{loop->range, "a second lane"};

    // As many at a time as there are lanes, or numbers of one and two bytes in registers, and what is left for some.
    width = std::min(width * narrowness(lowering(width), loop->body), std::max(width, kMostLanes));
    Lanes chunk = lowering(width);
    std::uint64_t abreast = vectorsAbreast(*loop, chunk);
    if (abreast > 1 && gathers(lowering(width).run(b.var(loop->var, loop->varType), loop->varType, nullptr)))
      abreast = 1;
    const Type &type = loop->varType;
    std::vector<const Stmt *> stmts;
    auto constant = [&](const std::string &hint, const Expr *value) {
      if (isa<IntLit>(value) || (isa<VarRef>(value) && !assigned_.count(as<VarRef>(value)->name))) return value;
      std::string name = names_.fresh(hint);
      stmts.push_back(b.declare(name, type, value));
      return b.var(name, type);
    };
    const Expr *first = constant("first", loop->begin), *last = constant("last", loop->end);
    last = isLiteral(first, 0) ? last : constant("last", b.max(first, last));
    const Expr *count = b.sub(last, first), *lanes = b.integer(type, static_cast<Int>(width));
    const Int alignment = isLiteral(first, 0) ? static_cast<Int>(width) : 1;
    auto chunks = [&](const Expr *from, const Expr *to, std::uint64_t size, Lanes &lowered) {
      const std::string name = names_.fresh(loop->var);
      const Expr *at = b.var(name, type);
      const Expr *step =
          arena().make<Assign>(loop->range, type, AssignOp::Add, at, b.integer(type, static_cast<Int>(size)));
      Lanes::Stmts turn = lowered.run(at, type, nullptr, alignment);
      if (const Stmt *inside = interior(*loop, at, size, turn, alignment)) turn = {inside};
      stmts.push_back(arena().make<For>(loop->range, b.declare(name, type, from, false), b.less(at, to), step,
                                        b.block(std::move(turn))));
    };
    const Expr *begun = first;
    if (abreast > 1) {
      const Loop *own = as<Loop>(withOwnNames(arena(), loop, names_));
      const Region theirs{own->body, own->var, false, own->level};
      Lanes several(arena(), names_, module_, theirs, static_cast<unsigned>(width * abreast),
                    [this](const Expr *e) { return known(e); });
      begun = constant("several", b.sub(last, b.rem(count, b.integer(type, static_cast<Int>(width * abreast)))));
      chunks(first, begun, width * abreast, several);
    }
    const Expr *full = constant("full", b.sub(last, b.rem(count, lanes)));
    chunks(begun, full, width, chunk);
    std::optional<Int> trip = known(count);
    if (!trip || *trip % static_cast<Int>(width) != 0) {
      const Expr *rest = b.cast(Scalar::U32, b.sub(last, full));
      const Expr *active = arena().make<Binary>(
          loop->range, mask(width), BinaryOp::Lt,
          arena().make<LaneIndex>(loop->range, Type::vector(Scalar::U32, static_cast<unsigned>(width))),
          arena().make<Broadcast>(loop->range, Type::vector(Scalar::U32, static_cast<unsigned>(width)), rest));
      stmts.push_back(b.when(b.less(full, last), chunk.run(full, type, active, alignment)));
    }
    return b.block(std::move(stmts));
  }

  /// How many vectors go through the loops in a loop side by side, as registers hold what these carry from turn to
  /// turn: what one waits for another one does meanwhile, and where they walk down rows, they have more of each.
  std::uint64_t vectorsAbreast(const Loop &loop, const Lanes &lanes) const {
    constexpr std::size_t kCarried = 8, kNodes = 400;
    const loops::Copies copies(loop, {});
    std::size_t carried = 0;
    const bool together = walk(loop.body, [&](const Stmt &s) {
      if (!loops::isLoop(s)) return WalkResult::Advance;
      carried = std::max(carried, copies.carried(&s));
      return lanes.uniformity().divergent(&s) ? WalkResult::Stop : WalkResult::Advance;
    });
    if (!together || carried == 0 || nodeCount(loop.body) > kNodes || contains<Atomic>(loop.body) ||
        contains<Cooperate>(loop.body) || any<Declare>(loop.body, [](const Declare &d) { return !d.extents.empty(); }))
      return 1;
    const unsigned bytes = loops::widestData(loop.body, [&](const Expr *e) { return lanes.uniformity().varying(e); });
    std::uint64_t abreast = 4;
    while (abreast > 1 && abreast * carried * std::max(4U, bytes) / 4 > kCarried) abreast /= 2;
    return abreast;
  }

  /// Whether lanes go to elements that do not lie side by side.
  static bool gathers(const Lanes::Stmts &stmts) {
    return std::any_of(stmts.begin(), stmts.end(), [](const Stmt *s) {
      return any<VectorLoad>(s, [](const VectorLoad &load) { return load.index->type.isVector(); }) ||
             any<VectorStore>(s, [](const VectorStore &store) { return store.index->type.isVector(); });
    });
  }

  /// How many numbers of the widest that lanes compute with take the place of one of four bytes.
  static std::uint64_t narrowness(const Lanes &lanes, const Block *body) {
    const unsigned bytes = loops::widestData(body, [&](const Expr *e) { return lanes.uniformity().varying(e); });
    return bytes == 1 || bytes == 2 ? 4 / bytes : 1;
  }

  /// Lanes far from the ends of a loop, in its middle, need no comparisons with bounds, and so are neighbours where an
  /// index is clamped or periodic. `whole`: what `width` lanes from `at` on do anywhere. Null where no comparison is
  /// decided.
  const Stmt *interior(const Loop &loop, const Expr *at, std::uint64_t width, const Lanes::Stmts &whole,
                       Int alignment) {
    const Loop *plain =
        arena().derive(&loop, [&](Loop &copy) { copy.body = loops::withExtremes(arena(), module_, loop.body); });
    loops::Copies copies(*plain, {});
    loops::Sums sums(arena(), *plain, copies);
    const loops::Interior interior(arena(), *plain, copies, sums, scalars_);
    if (!interior.any() || nodeCount(loop.body) > kWrittenTwice) return nullptr;
    const Loop *inside =
        loops::withUniformTrips(arena(), names_, *as<Loop>(withOwnNames(arena(), interior.loop(), names_)));
    Build b(arena(), loop.range);
    const Region region{inside->body, inside->var, false, loop.level};
    Lanes lanes(arena(), names_, module_, region, static_cast<unsigned>(width),
                [this](const Expr *e) { return known(e); });
    const Expr *last = b.add(at, b.integer(at->type, static_cast<Int>(width - 1)));
    const Expr *holds = interior.holds(b.cast(Scalar::U64, at), b.cast(Scalar::U64, last));
    return b.when(holds, lanes.run(at, loop.varType, nullptr, alignment), whole);
  }

  static Type mask(std::uint64_t lanes) { return Type::vector(Scalar::Bool, static_cast<unsigned>(lanes)); }
  const Expr *lowest(std::uint64_t some, std::uint64_t lanes) {
    Type type = Type::vector(Scalar::U32, static_cast<unsigned>(lanes));
    Build b(arena());
    return arena().make<Binary>(
        SourceRange{}, mask(lanes), BinaryOp::Lt, arena().make<LaneIndex>(SourceRange{}, type),
        arena().make<Broadcast>(SourceRange{}, type, b.integer(Scalar::U32, static_cast<Int>(some))));
  }

  const Node *mutateCooperate(const Cooperate *coop) override {
    std::optional<Int> width = known(coop->width);
    if (!width) fail(kUnknownWidth, coop->range, coop->level);
    auto lanes = static_cast<std::uint64_t>(*width);
    if (*width < 1 || lanes > kMostLanes) fail(kWidth, coop->range, *width, coop->level, kMostLanes);
    Region region{coop->body, coop->lane, true, coop->level};
    Build b(arena(), coop->range);
    try {
      std::uint64_t all = std::bit_ceil(lanes);
      Lanes together(arena(), names_, module_, region, static_cast<unsigned>(all),
                     [this](const Expr *e) { return known(e); });
      Type type = coop->width->type;
      walk(coop->body, [&](const VarRef &v) {
        if (v.name == coop->lane) type = v.type;
      });
      return b.block(together.run(b.integer(type, 0), type, lanes < all ? lowest(lanes, all) : nullptr));
    } catch (const Unsupported &reason) {
      fail(kCannot, reason.range, coop->level, reason.what);
    }
  }

  const Module &module_;
  const Kernel &kernel_;
  PassContext &context_;
  bool warns_;
  const KnownValues &known_;
  Names names_;
  std::set<std::string> scalars_; // of the spectrum
  std::set<std::string> assigned_, frozen_;
};

} // namespace

const Kernel *LockstepPass::kernel(const Kernel *kernel, const Module &module, PassContext &context) {
  return Lowering(module, *kernel, context, warns_).run();
}

} // namespace tangram::lockstep
