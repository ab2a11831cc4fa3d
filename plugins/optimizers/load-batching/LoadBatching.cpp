#include "LoadBatching.h"
#include "Batches.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/KnownValues.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"

namespace tangram::batching {

using namespace ast;

namespace {

/// Loops of so few turns are written out by compilers of output languages, all their loads at a time.
constexpr Int kFewTurns = 16;

struct Limits {
  unsigned iterations, registers, nodes;
};

class Batching final : public Mutator {
public:
  Batching(PassContext &context, const Kernel &kernel, const Limits &limits)
      : Mutator(context.arena), known_(context.analyses.of<KnownValues>(kernel)), memory_(kernel), limits_(limits),
        assigned_(assignedVariables(kernel.body)) {
    names_.reserveAll(&kernel);
  }

private:
  const Node *mutateLaunch(const Launch *launch) override {
    inLaunch_ = true;
    const Node *result = rebuild(launch);
    inLaunch_ = false;
    return result;
  }
  const Node *mutateFor(const For *loop) override {
    const Stmt *batched = inBatches(loop);
    return batched ? batched : rebuild(loop);
  }
  const Node *mutateLoop(const Loop *loop) override {
    const Stmt *batched = inBatches(loop);
    return batched ? batched : rebuild(loop);
  }

  /// Null where the loop stays as it is.
  const Stmt *inBatches(const Stmt *s) {
    std::optional<loops::Counted> loop = inLaunch_ ? loops::counted(arena(), s) : std::nullopt;
    if (!loop || loops::goesOn(loop->begin, assigned_) || hasFewTurns(*loop)) return nullptr;
    std::optional<Iteration> iteration = takenApart(arena(), names_, memory_, *loop);
    if (!iteration) return nullptr;
    const std::size_t nodes = nodeCount(loop->body) / iteration->lanes;
    std::optional<Int> turns = mostTurns(*loop);
    auto fits = [&](unsigned count) {
      // Batches of half as many and so on are as large together.
      return count * iteration->registers <= limits_.registers && 2 * count * nodes <= limits_.nodes &&
             (!turns || static_cast<Int>(count) <= *turns);
    };
    unsigned count = 1;
    while (2 * count <= limits_.iterations && fits(2 * count)) count *= 2;
    return count > 1 ? batches(arena(), names_, *loop, *iteration, count) : nullptr;
  }

  bool hasFewTurns(const loops::Counted &loop) const {
    const std::optional<Int> begin = loop.begin ? known_.value(loop.begin) : std::nullopt, end = known_.value(loop.end),
                             step = known_.value(loop.step);
    return begin && end && step && *step > 0 && *end - *begin <= kFewTurns * *step;
  }

  /// How many iterations there are at most, where that is known. Loops of lanes begin a little above 0.
  static std::optional<Int> mostTurns(const loops::Counted &loop) {
    if (!loop.begin) return {};
    std::optional<Int> end = literal(loop.end), step = literal(loop.step);
    if (!end || !step || *step <= 0) return {};
    Int begin = literal(loop.begin).value_or(0);
    return begin < *end ? (*end - begin - 1) / *step + 1 : 0;
  }

  const KnownValues &known_;
  Memory memory_;
  Limits limits_;
  Names names_;
  std::set<std::string> assigned_;
  bool inLaunch_ = false;
};

} // namespace

const Kernel *LoadBatching::kernel(const Kernel *kernel, PassContext &context, const hardware::LaunchLevels &) {
  return Batching(context, *kernel, {iterations_, registers_, nodes_})(kernel);
}

} // namespace tangram::batching
