#include "SymbolicSteps.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Substitute.h"
#include "tangram/nest/Casts.h"
#include "tangram/nest/Nest.h"

#include <set>

namespace tangram::nest {

using namespace ast;

namespace {

/// for (k = begin; k < begin + m; ++k) S(k)   as   for (at = 0; at < m; ++at) { const k = begin + at; S(k) }
class FromZero final : public Mutator {
public:
  FromZero(Arena &arena, const Expr *begin, Names &names) : Mutator(arena), begin_(begin), names_(names) {}

private:
  const Node *mutateFor(const For *loop) override {
    const auto *init = dyn<Declare>(loop->init);
    const auto *cond = dyn<Binary>(loop->cond);
    const auto *counter = cond ? dyn<VarRef>(cond->lhs) : nullptr;
    const auto *end = cond ? dyn<Binary>(cond->rhs) : nullptr;
    const auto *step = dyn<Unary>(loop->step);
    const bool up = step && (step->op == UnaryOp::PreInc || step->op == UnaryOp::PostInc);
    if (!init || !init->init || !equal(init->init, begin_) || !counter || counter->name != init->name ||
        cond->op != BinaryOp::Lt || !end || end->op != BinaryOp::Add || !up || end->type != init->type ||
        assignedVariables(loop->body).count(init->name))
      return rebuild(loop);
    const Expr *length = equal(end->lhs, begin_) ? end->rhs : equal(end->rhs, begin_) ? end->lhs : nullptr;
    // A sum that wraps around is below its first part: of 64 bits it does where `length` is no signed number.
    const bool counts = init->type.isSigned() || init->type.bytes() == kInteger.bytes();
    if (!length || length->type != init->type || !counts) return rebuild(loop);
    const Build b(arena(), loop->range);
    const std::string at = names_.fresh("at_" + init->name);
    const Type type = init->type.isSigned() ? init->type : kInteger;
    const Expr *ahead = type == init->type ? b.var(at, type) : b.exactCast(init->type, b.var(at, type));
    std::vector<const Stmt *> body{b.declare(init->name, init->type, b.add(begin_, ahead))};
    const Block *inside = mutateAs(loop->body);
    body.insert(body.end(), inside->stmts.begin(), inside->stmts.end());
    return arena().make<For>(loop->range, b.declare(at, type, b.integer(type, 0), false),
                             b.binary(BinaryOp::Lt, b.var(at, type), b.cast(type, length)),
                             arena().make<Unary>(loop->range, type, UnaryOp::PreInc, b.var(at, type)),
                             b.block(std::move(body)));
  }

  const Expr *begin_;
  Names &names_;
};

/// Whether it keeps its value while `changed` change, and takes no container to compute.
bool isInvariant(const Expr *e, const std::set<std::string> &changed) {
  return !hasEffects(e) && !contains<Subscript>(e) && !contains<Call>(e) &&
         !any<VarRef>(e, [&](const VarRef &v) { return changed.count(v.name) != 0; });
}

} // namespace

std::optional<CountedBySteps> countedBySteps(const For &loop, Names &names, Arena &arena) {
  const auto *init = dyn<Declare>(loop.init);
  const auto *cond = dyn<Binary>(loop.cond);
  const auto *step = dyn<Assign>(loop.step);
  if (!init || !init->init || !init->type.isInteger() || init->type.isBool() || init->type.bytes() < 4 ||
      !init->extents.empty() || !cond || (cond->op != BinaryOp::Lt && cond->op != BinaryOp::Le) || !step ||
      step->op != AssignOp::Add || literal(step->value))
    return {};
  const auto isCounter = [&](const Expr *e) { return isa<VarRef>(e) && as<VarRef>(e)->name == init->name; };
  const std::set<std::string> inside = assignedVariables(loop.body);
  std::set<std::string> changed = inside;
  changed.insert(init->name);
  const Expr *compared = cond->lhs; // a smaller number, widened
  if (const auto *cast = dyn<Cast>(compared); cast && cast->type.bytes() > cast->operand->type.bytes())
    compared = cast->operand;
  if (!isCounter(compared) || !isCounter(step->target) || inside.count(init->name) ||
      !isInvariant(cond->rhs, changed) || !isInvariant(step->value, changed) || !cond->rhs->type.isInteger() ||
      !step->value->type.isInteger())
    return {};

  const Build b(arena, loop.range);
  const auto constant = [&](const char *what, const Expr *value, std::vector<const Stmt *> &before) {
    const std::string name = names.fresh(init->name + what);
    before.push_back(b.declare(name, kInteger, b.cast(kInteger, value)));
    return b.var(name, kInteger);
  };
  CountedBySteps result;
  const Expr *zero = b.integer(kInteger, 0), *one = b.integer(kInteger, 1);
  const Expr *begin =
      literal(init->init) ? b.cast(kInteger, init->init) : constant("_begin", init->init, result.before);
  // Unsigned integers count down by what is all but all of them.
  const bool wraps = !init->type.isSigned();
  const Expr *given = wraps && init->type.bytes() == 4 ? b.cast(Scalar::I32, step->value) : step->value;
  const Expr *by = constant("_step", given, result.before);
  const Expr *end = constant("_end", cond->rhs, result.before);
  const bool strict = cond->op == BinaryOp::Lt;
  const Expr *length = b.sub(end, begin);
  if (strict) length = b.sub(length, one);
  const Expr *up = b.add(b.div(length, by), one), *down = b.add(b.div(begin, b.sub(zero, by)), one);
  const Expr *some = b.binary(strict ? BinaryOp::Lt : BinaryOp::Le, begin, end);
  if (wraps) some = b.both(b.binary(BinaryOp::Le, zero, begin), some);
  const Expr *turns = b.select(b.binary(BinaryOp::Lt, zero, by), up,
                               wraps ? b.select(b.binary(BinaryOp::Lt, by, zero), down, zero) : zero);
  const Expr *count = constant("_turns", b.select(some, turns, zero), result.before);
  const Expr *turn = b.var(names.fresh(init->name + "_turn"), kInteger);
  const Expr *place = b.mul(turn, by);
  if (!isLiteral(begin, 0)) place = b.add(begin, place);
  const Expr *counter = init->type == kInteger ? place : b.exactCast(init->type, place);
  const Block *body = substituted(arena, loop.body, [&](const VarRef *v) { return isCounter(v) ? counter : v; });
  body = as<Block>(FromZero(arena, counter, names)(body));
  const std::string &name = as<VarRef>(turn)->name;
  result.loop = arena.make<For>(loop.range, b.declare(name, kInteger, zero, false), b.binary(BinaryOp::Lt, turn, count),
                                arena.make<Unary>(loop.range, kInteger, UnaryOp::PreInc, turn), body);
  return result;
}

} // namespace tangram::nest
