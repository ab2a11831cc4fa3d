#include "LoopVersioning.h"
#include "Guards.h"

#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Walk.h"

#include <map>
#include <memory>

namespace tangram::versioning {

using namespace ast;

namespace {

/// Whether workers may wait for each other in it, or exchange values: they need not choose the same version.
bool together(const Stmt *loop) {
  return any<Node>(loop, [](const Node &n) {
    return isa<Sync>(&n) || isa<Await>(&n) || isa<MatrixMultiply>(&n) || isa<Shuffle>(&n);
  });
}

/// A loop without guards that hold.
class Unguarded final : public Mutator {
public:
  Unguarded(Arena &arena, const std::set<const Expr *> &known) : Mutator(arena), known_(known) {}

private:
  const Expr *left(const Expr *cond) {
    if (known_.count(cond)) return Build(arena(), cond->range).boolean(true);
    const auto *b = dyn<Binary>(cond);
    if (!b || b->op != BinaryOp::LogicalAnd) return mutateAs(cond);
    return Build(arena(), cond->range).both(left(b->lhs), left(b->rhs));
  }
  const Node *mutateConditional(const Conditional *e) override {
    const Expr *cond = left(e->cond);
    if (cond == e->cond) return rebuild(e);
    return Build(arena(), e->range).select(cond, mutateAs(e->then), mutateAs(e->otherwise));
  }
  const Node *mutateIf(const If *s) override {
    const Expr *cond = left(s->cond);
    if (cond == s->cond) return rebuild(s);
    const Block *then = mutateAs(s->then);
    if (isLiteral(cond, 1)) return then;
    const Block *otherwise = s->otherwise ? mutateAs(s->otherwise) : nullptr;
    return arena().derive(s, [&](If &copy) {
      copy.cond = cond;
      copy.then = then;
      copy.otherwise = otherwise;
    });
  }

  const std::set<const Expr *> &known_;
};

class Versions final : public Mutator {
public:
  Versions(PassContext &context, const hardware::LaunchLevels &levels, const Kernel &kernel, unsigned most)
      : Mutator(context.arena), levels_(levels), kernel_(kernel), most_(most) {
    names_.reserveAll(&kernel);
  }

private:
  const Node *mutateLaunch(const Launch *launch) override {
    ranges_ = std::make_unique<ranges::Ranges>(arena(), kernel_, *launch, levels_);
    const Node *result = rebuild(launch);
    ranges_.reset();
    return result;
  }
  const Node *mutateFor(const For *loop) override {
    const Stmt *both = versions(loop);
    return both ? both : within(loop);
  }
  const Node *mutateLoop(const Loop *loop) override {
    const Stmt *both = versions(loop);
    return both ? both : within(loop);
  }

  /// The loops in a loop.
  const Stmt *within(const Stmt *loop) {
    const auto *counted = dyn<For>(loop);
    if (!counted) return as<Stmt>(rebuild(as<Loop>(loop)));
    if (!ranges_) return as<Stmt>(rebuild(counted));
    const Stmt *init = counted->init ? mutateAs(counted->init) : nullptr;
    ranges_->enter(*counted);
    const Block *body = mutateAs(counted->body);
    ranges_->pop();
    if (init == counted->init && body == counted->body) return loop;
    return arena().derive(counted, [&](For &copy) {
      copy.init = init;
      copy.body = body;
    });
  }

  /// Null where one version is enough.
  const Stmt *versions(const Stmt *loop) {
    if (!ranges_ || together(loop) || nodeCount(loop) > most_) return nullptr;
    Guards guards(arena(), *ranges_, loop);
    if (guards.conditions().empty()) return nullptr;
    Build b(arena(), loop->range);
    const Expr *all = nullptr;
    for (const Expr *one : guards.conditions()) all = all ? b.both(all, one) : one;
    const Stmt *without = within(Unguarded(arena(), guards.known())(loop));
    if (isLiteral(all, 1)) return without;
    return b.when(all, {as<Stmt>(withOwnNames(arena(), without, names_, "_full"))}, {loop});
  }

  const hardware::LaunchLevels &levels_;
  const Kernel &kernel_;
  Names names_;
  std::unique_ptr<ranges::Ranges> ranges_; // of the launch that is looked at
  unsigned most_;
};

} // namespace

const Kernel *LoopVersioning::kernel(const Kernel *kernel, PassContext &context, const hardware::LaunchLevels &levels) {
  return Versions(context, levels, *kernel, most_)(kernel);
}

} // namespace tangram::versioning
