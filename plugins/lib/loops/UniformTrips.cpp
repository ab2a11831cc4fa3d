#include "tangram/loops/UniformTrips.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/loops/Copies.h"
#include "tangram/loops/Sums.h"

namespace tangram::loops {

using namespace ast;

namespace {

class UniformTrips final : public Mutator {
public:
  UniformTrips(Arena &arena, Names &names, const Loop &loop)
      : Mutator(arena), names_(names), copies_(loop, {}), sums_(arena, loop, copies_) {}

private:
  const Node *mutateFor(const For *loop) override {
    const auto *begin = dyn<Declare>(loop->init);
    const auto *cond = dyn<Binary>(loop->cond);
    const auto *counter = cond ? dyn<VarRef>(cond->lhs) : nullptr;
    const auto *step = dyn<Unary>(loop->step);
    const bool up = step && (step->op == UnaryOp::PreInc || step->op == UnaryOp::PostInc);
    if (!begin || !begin->init || !begin->extents.empty() || !begin->type.isInteger() || !begin->type.isSigned() ||
        !counter || counter->name != begin->name || (cond->op != BinaryOp::Lt && cond->op != BinaryOp::Le) || !up ||
        hasEffects(cond->rhs) || jumpsOut(loop->body))
      return rebuild(loop);
    const std::set<std::string> changed = assignedVariables(loop->body);
    const auto changes = [&](const VarRef &v) { return changed.count(v.name) != 0; };
    if (changed.count(begin->name) || any<VarRef>(begin->init, changes) || any<VarRef>(cond->rhs, changes))
      return rebuild(loop);
    const std::optional<Sums::Sum> first = sums_.of(begin->init);
    std::optional<Sums::Sum> length = first ? sums_.of(cond->rhs) : std::nullopt;
    if (!length || Sums::coefficient(*first, {Sums::kIteration}) == 0) return rebuild(loop);
    Sums::add(*length, *first, -1);
    for (const auto &[product, coefficient] : *length)
      if (!sums_.invariant(product)) return rebuild(loop);
    const Build b(arena(), loop->range);
    const Type wide = Scalar::I64;
    const std::string trips = names_.fresh(begin->name + "_trips"), turn = names_.fresh(begin->name + "_turn");
    const Expr *count = b.cast(wide, sums_.written(*length, nullptr));
    if (cond->op == BinaryOp::Le) count = b.add(count, b.integer(wide, 1));
    emitBefore(b.declare(trips, wide, count));
    std::vector<const Stmt *> body{
        b.declare(begin->name, begin->type, b.add(begin->init, b.exactCast(begin->type, b.var(turn, wide))))};
    const Block *own = mutateAs(loop->body);
    body.insert(body.end(), own->stmts.begin(), own->stmts.end());
    return arena().make<For>(
        loop->range, b.declare(turn, wide, b.integer(wide, 0), false), b.less(b.var(turn, wide), b.var(trips, wide)),
        arena().make<Unary>(loop->range, wide, UnaryOp::PreInc, b.var(turn, wide)), b.block(std::move(body)));
  }

  Names &names_;
  Copies copies_;
  Sums sums_;
};

} // namespace

const Loop *withUniformTrips(Arena &arena, Names &names, const Loop &loop) {
  const Block *body = as<Block>(UniformTrips(arena, names, loop)(loop.body));
  return body == loop.body ? &loop : arena.derive(&loop, [&](Loop &copy) { copy.body = body; });
}

} // namespace tangram::loops
