#include "Staging.h"
#include "Unit.h"

#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"

namespace tangram::staging {

using namespace ast;

namespace {

/// Bytes of memory that are loaded at once, at best.
std::uint64_t lineOf(const hardware::LaunchLevels &levels) {
  for (std::string_view memory : {"l2", "global"})
    if (const hardware::Memory *m = levels.device->memory(memory); m && m->line) return m->line;
  return 128;
}

class Stager final : public Mutator {
public:
  Stager(const Context &context, const Launch &launch, std::uint64_t most, std::uint64_t rowBytes)
      : Mutator(context.pass.arena), context_(context), addresses_(context.pass, context.kernel, launch),
        scratchpad_(context.levels, addresses_.known(), launch, most), rowBytes_(rowBytes) {}

  std::size_t staged() const { return staged_; }
  std::size_t refused() const { return refused_; }

private:
  const Node *mutateLaunch(const Launch *launch) override {
    const Block *body = mutateAs(launch->body);
    if (body == launch->body) return launch;
    std::vector<const Stmt *> stmts = scratchpad_.allocs(Build(arena(), launch->range));
    stmts.insert(stmts.end(), body->stmts.begin(), body->stmts.end());
    body = Build(arena(), launch->range).block(std::move(stmts));
    return arena().derive(launch, [&](Launch &copy) { copy.body = body; });
  }
  const Node *mutateLoop(const Loop *loop) override {
    if (!sharedByWorkers(*loop)) {
      addresses_.enter(loop->var);
      return rebuild(loop);
    }
    Unit unit(context_, addresses_, scratchpad_, *loop, rowBytes_);
    const Stmt *staged = unit.run();
    refused_ += unit.refused();
    if (!staged) return loop;
    staged_ += unit.staged();
    scratchpad_ = unit.scratchpad();
    return staged;
  }
  /// Its iterations are given to the workers of a group, or of a part of one.
  bool sharedByWorkers(const Loop &loop) const {
    const hardware::LaunchLevels &levels = context_.levels;
    const hardware::Level *level = context_.pass.target.hardware.find(loop.level);
    const hardware::Level *below = level ? context_.pass.target.hardware.below(*level) : nullptr;
    return loop.policy == Policy::Distribute && below && levels.workers(level->name) > 1 &&
           levels.workers(below->name) == 1;
  }

  const Context &context_;
  Addresses addresses_;
  Scratchpad scratchpad_;
  std::uint64_t rowBytes_;
  std::size_t staged_ = 0, refused_ = 0;
};

} // namespace

const Launch *staged(const Context &context, const Launch *launch, std::uint64_t most) {
  // Shorter rows where there is no room for all with whole lines.
  const Launch *best = launch;
  std::size_t loops = 0;
  Names bestNames = context.names;
  for (std::uint64_t rowBytes = lineOf(context.levels); rowBytes >= kSector; rowBytes /= 2) {
    Names names = context.names;
    Context attempt{context.pass, context.levels, context.kernel, names};
    Stager stager(attempt, *launch, most, rowBytes);
    const Launch *result = stager(launch);
    if (stager.staged() > loops) {
      best = result;
      loops = stager.staged();
      bestNames = names;
    }
    if (!stager.refused()) break;
  }
  context.names = bestNames;
  return best;
}

} // namespace tangram::staging
