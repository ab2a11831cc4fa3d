#include "LoopNormalization.h"
#include "Headers.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Walk.h"
#include "tangram/loops/ConstantTrips.h"

namespace tangram::loop_normalization {

using namespace ast;

namespace {

class Normalizer final : public Mutator {
public:
  Normalizer(Arena &arena, const Node *body) : Mutator(arena) { names_.reserveAll(body); }

private:
  const Node *mutateFor(const For *loop) override {
    const auto *counter = dyn<Declare>(loop->init);
    const bool known = !counter || !counter->init || literal(counter->init).has_value();
    const std::optional<Int> trips = known ? std::nullopt : loops::constantTrips(loop);
    if (!trips) return rebuild(loop);
    Build b(arena(), loop->range);
    const std::string turn = names_.fresh(counter->name + "_turn");
    const Expr *now = b.var(turn, counter->type);
    const Expr *value = b.add(counter->init, now);
    std::vector<const Stmt *> body{b.declare(counter->name, counter->type, value)};
    const Block *inside = mutateAs(loop->body);
    body.insert(body.end(), inside->stmts.begin(), inside->stmts.end());
    return arena().make<For>(loop->range, b.declare(turn, counter->type, b.integer(counter->type, 0), false),
                             b.less(now, b.integer(counter->type, *trips)),
                             arena().make<Unary>(loop->range, counter->type, UnaryOp::PreInc, now),
                             b.block(std::move(body)));
  }

  Names names_;
};

} // namespace

const Kernel *LoopNormalization::kernel(const Kernel *kernel, const Module &, PassContext &context) {
  kernel = withConditionsInHeaders(context.arena, kernel);
  return Normalizer(context.arena, kernel)(kernel);
}

} // namespace tangram::loop_normalization
