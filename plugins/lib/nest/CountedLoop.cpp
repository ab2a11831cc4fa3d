#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Casts.h"
#include "tangram/nest/Tiling.h"

#include <fmt/format.h>

namespace tangram::nest {

using namespace ast;

namespace {

bool isVariable(const Expr *e, const std::string &name) {
  const auto *v = dyn<VarRef>(withoutCasts(e));
  return v && v->name == name;
}

/// The iterator as the condition compares it: widened, or, where it never is negative, as an unsigned number.
bool keepsValue(const Expr *compared, const Expr *begin) {
  std::optional<Int> first = literal(withoutCasts(begin));
  for (; isa<Cast>(compared); compared = as<Cast>(compared)->operand) {
    const Type &to = compared->type, &from = as<Cast>(compared)->operand->type;
    if (!to.isInteger() || !from.isInteger() || to.isBool() || to.bytes() < from.bytes()) return false;
    bool negative = from.isSigned() && !to.isSigned() && !(first && *first >= 0);
    if (negative || (!from.isSigned() && to.isSigned() && to.bytes() == from.bytes())) return false;
  }
  return true;
}

/// What is added each time round, of 64 bits; null where it is something else.
const Expr *addedBy(const Expr *step, const std::string &iterator, const Build &build) {
  if (const auto *u = dyn<Unary>(step); u && isVariable(u->operand, iterator)) {
    if (u->op == UnaryOp::PreInc || u->op == UnaryOp::PostInc) return build.integer(kInteger, 1);
    if (u->op == UnaryOp::PreDec || u->op == UnaryOp::PostDec) return build.integer(kInteger, -1);
  }
  const auto *a = dyn<Assign>(step);
  if (!a || !isVariable(a->target, iterator)) return nullptr;
  const Expr *by = nullptr;
  bool down = a->op == AssignOp::Sub;
  if (a->op == AssignOp::Add || down) {
    by = a->value;
  } else if (const auto *b = dyn<Binary>(withoutCasts(a->value)); b && a->op == AssignOp::Set) {
    down = b->op == BinaryOp::Sub;
    if ((b->op == BinaryOp::Add || down) && isVariable(b->lhs, iterator))
      by = b->rhs;
    else if (b->op == BinaryOp::Add && isVariable(b->rhs, iterator))
      by = b->lhs;
  }
  if (!by || !by->type.isInteger()) return nullptr;
  const Expr *wide = build.cast(kInteger, by);
  return down ? build.sub(build.integer(kInteger, 0), wide) : wide;
}

/// Something that the expression reads and the body changes; empty: nothing.
std::string changedIn(const Expr *e, const Block *body) {
  std::set<std::string> assigned = assignedVariables(body), written;
  walk(
      body,
      [&](const Assign &a) {
        if (const VarRef *root = rootVariable(a.target)) written.insert(root->name);
      },
      [&](const Atomic &a) {
        if (const VarRef *root = rootVariable(a.target)) written.insert(root->name);
      },
      [&](const Unary &u) {
        bool changes = changesOperand(u.op);
        if (const VarRef *root = changes ? rootVariable(u.operand) : nullptr) written.insert(root->name);
      });
  std::string found;
  walk(
      e,
      [&](const VarRef &v) {
        if (assigned.count(v.name) || written.count(v.name)) found = v.name;
      },
      [&](const Size &size) { // is the same whatever the elements are
        const auto *container = dyn<VarRef>(size.container);
        const bool known = container && !assigned.count(container->name) && (!size.dim || literal(size.dim));
        return known ? WalkResult::Skip : WalkResult::Advance;
      });
  return found;
}

/// A `break` of this loop, or a `return`.
bool isLeft(const Block *body) {
  bool left = false;
  walk(body, [&](const Node &n) {
    if (isa<Return>(&n) || isa<Break>(&n)) left = true;
    bool own = isa<For>(&n) || isa<While>(&n) || isa<DoWhile>(&n) || isa<Switch>(&n);
    if (own && contains<Return>(&n)) left = true;
    return own ? WalkResult::Skip : WalkResult::Advance;
  });
  return left;
}

} // namespace

std::optional<CountedLoop> countedLoop(const For *loop, Arena &arena, std::string &why) {
  Build build(arena, loop->range);
  CountedLoop c;
  c.node = loop;
  const auto *iterator = dyn<Declare>(loop->init);
  if (!iterator || !iterator->init || !iterator->extents.empty() || !iterator->type.isInteger() ||
      iterator->type.isBool()) {
    why =
        "it does not count by an integer of its own: write for (i = FIRST; i < END; i += STEP), with an i that nobody "
        "reads behind the loop";
    return {};
  }
  c.iterator = iterator->name;
  c.type = iterator->type;
  const auto *cond = dyn<Binary>(loop->cond);
  BinaryOp op = cond ? cond->op : BinaryOp::Eq;
  const Expr *end = cond ? cond->rhs : nullptr;
  if (cond && !isVariable(cond->lhs, c.iterator) && isVariable(cond->rhs, c.iterator)) {
    op = mirrored(op);
    end = cond->lhs;
  }
  bool up = op == BinaryOp::Lt || op == BinaryOp::Le, down = op == BinaryOp::Gt || op == BinaryOp::Ge;
  if (!cond || !(up || down) || !(isVariable(cond->lhs, c.iterator) || isVariable(cond->rhs, c.iterator)) ||
      mentions(end, c.iterator)) {
    why = fmt::format("its condition is not '{0} < END', '{0} <= END', '{0} > END' or '{0} >= END'", c.iterator);
    return {};
  }
  const Expr *compared = isVariable(cond->lhs, c.iterator) ? cond->lhs : cond->rhs;
  if (!end->type.isInteger() || !keepsValue(compared, iterator->init)) {
    why = fmt::format("its condition compares '{}' as another type: give it the type of its end", c.iterator);
    return {};
  }
  c.step = loop->step ? addedBy(loop->step, c.iterator, build) : nullptr;
  if (!c.step) {
    why = fmt::format("'{0}' is not stepped by one number: write {0}++, {0} += STEP or {0} -= STEP", c.iterator);
    return {};
  }
  if (std::optional<Int> number = literal(c.step); number && (*number == 0 || (*number > 0) != up)) {
    why = fmt::format("'{}' is stepped away from its end, or not at all", c.iterator);
    return {};
  }
  if (assignedVariables(loop->body).count(c.iterator)) {
    why = fmt::format("its body changes '{}'", c.iterator);
    return {};
  }
  for (const Expr *e : {end, c.step})
    if (std::string changed = changedIn(e, loop->body); !changed.empty() || hasEffects(e)) {
      why = fmt::format("its bound changes while it runs: the body changes '{}'", changed);
      return {};
    }
  if (isLeft(loop->body)) {
    why = "a break or return leaves it";
    return {};
  }
  c.begin = build.cast(kInteger, iterator->init);
  const Expr *last = build.cast(kInteger, end);
  // From the smaller number to the larger one, and how far apart they are.
  const Expr *low = up ? c.begin : last, *high = up ? last : c.begin;
  const Expr *by = up ? c.step : build.sub(build.integer(kInteger, 0), c.step);
  const Expr *zero = build.integer(kInteger, 0), *one = build.integer(kInteger, 1);
  bool strict = op == BinaryOp::Lt || op == BinaryOp::Gt;
  const Expr *length = build.sub(high, low);
  const Expr *turns = strict ? build.add(length, build.sub(by, one)) : build.add(length, by);
  turns = build.div(turns, by);
  const Expr *none = build.binary(strict ? BinaryOp::Lt : BinaryOp::Le, low, high);
  c.turns = build.select(none, turns, zero);
  return c;
}

} // namespace tangram::nest
