#include "LoopNormalization.h"
#include "Linear.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Walk.h"

namespace tangram::loop_normalization {

using namespace ast;

namespace {

constexpr Int kMostTrips = 256;

/// Made of numbers and of variables that none of `changed` is.
bool keeps(const Expr *e, const std::set<std::string> &changed) {
  return !any<Expr>(e, [&](const Expr &part) {
    if (const auto *v = dyn<VarRef>(&part)) return changed.count(v->name) != 0;
    const auto *unary = dyn<Unary>(&part);
    return !isa<IntLit>(&part) && !isa<Binary>(&part) && !isa<Cast>(&part) && !(unary && unary->op == UnaryOp::Minus);
  });
}

class Normalizer final : public Mutator {
public:
  Normalizer(Arena &arena, const Node *body) : Mutator(arena) { names_.reserveAll(body); }

private:
  const Node *mutateFor(const For *loop) override {
    const std::optional<Int> trips = tripCount(loop);
    if (!trips) return rebuild(loop);
    const auto *counter = as<Declare>(loop->init);
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

  /// Of a loop that counts from what is no number by one; nothing for others.
  static std::optional<Int> tripCount(const For *loop) {
    const auto *counter = dyn<Declare>(loop->init);
    const auto *cond = dyn<Binary>(loop->cond);
    const auto *step = dyn<Unary>(loop->step);
    auto isCounter = [&](const Expr *e) { return isa<VarRef>(e) && as<VarRef>(e)->name == counter->name; };
    if (!counter || !counter->init || !counter->extents.empty() || literal(counter->init) || !cond || !step) return {};
    if (cond->op != BinaryOp::Lt && cond->op != BinaryOp::Le) return {};
    if (!isCounter(cond->lhs) || !isCounter(step->operand)) return {};
    if (step->op != UnaryOp::PreInc && step->op != UnaryOp::PostInc) return {};
    std::set<std::string> changed = assignedVariables(loop->body);
    if (changed.count(counter->name) || !keeps(counter->init, changed)) return {};
    changed.insert(counter->name);
    if (!keeps(cond->rhs, changed)) return {};
    const std::optional<Int> distance = difference(cond->rhs, counter->init);
    const Int trips = distance.value_or(0) + (cond->op == BinaryOp::Le ? 1 : 0);
    return distance && trips >= 1 && trips <= kMostTrips ? std::optional(trips) : std::nullopt;
  }

  Names names_;
};

} // namespace

const Kernel *LoopNormalization::kernel(const Kernel *kernel, const Module &, PassContext &context) {
  return Normalizer(context.arena, kernel)(kernel);
}

} // namespace tangram::loop_normalization
