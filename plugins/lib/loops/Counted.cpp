#include "tangram/loops/Counted.h"

#include "tangram/ast/Casts.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Walk.h"

#include <limits>

namespace tangram::loops {

using namespace ast;

namespace {

bool isVariable(const Expr *e, const std::string &name) { return isa<VarRef>(e) && as<VarRef>(e)->name == name; }

/// What is added to the variable; null for anything else.
const Expr *step(Arena &arena, const Expr *e, const std::string &variable) {
  if (const auto *unary = dyn<Unary>(e)) {
    bool up = unary->op == UnaryOp::PreInc || unary->op == UnaryOp::PostInc;
    return up && isVariable(unary->operand, variable) ? Build(arena, e->range).u64(1) : nullptr;
  }
  const auto *assign = dyn<Assign>(e);
  return assign && assign->op == AssignOp::Add && isVariable(assign->target, variable) ? assign->value : nullptr;
}

/// A number as such, whatever it was converted from.
const Expr *number(Arena &arena, const Expr *e, const Type &type) {
  const Expr *core = withoutCasts(e);
  std::optional<Int> value = core->type.isInteger() ? literal(core) : std::nullopt;
  bool same = value && *value >= 0 && *value <= std::numeric_limits<std::int8_t>::max(); // in any type
  bool wide = value && *value >= 0 && *value <= std::numeric_limits<std::int32_t>::max();
  for (core = e; wide && isa<Cast>(core); core = as<Cast>(core)->operand) wide = core->type.bytes() >= 4;
  return same || wide ? Build(arena, e->range).integer(type, *value) : e;
}

/// The same in all iterations, and without memory: nothing that a loop's body could change.
bool keeps(const Expr *e, const std::set<std::string> &changed) {
  return !hasEffects(e) && !any<Expr>(e, [&](const Expr &part) {
    if (const auto *v = dyn<VarRef>(&part)) return changed.count(v->name) != 0;
    if (const auto *unary = dyn<Unary>(&part)) return unary->op == UnaryOp::Deref;
    return isa<Subscript>(&part) || isa<Member>(&part) || isa<Shuffle>(&part);
  });
}

} // namespace

std::optional<Counted> counted(Arena &arena, const Stmt *s) {
  Counted c;
  c.loop = s;
  if (const auto *loop = dyn<Loop>(s)) {
    if (loop->policy != Policy::Serialize) return {};
    c.variable = loop->var;
    c.type = loop->varType;
    c.begin = loop->begin;
    c.end = loop->end;
    c.step = Build(arena, s->range).u64(1);
    c.body = loop->body;
  } else if (const auto *node = dyn<For>(s)) {
    const auto *init = dyn<Declare>(node->init);
    const auto *cond = dyn<Binary>(node->cond);
    if (node->init && (!init || !init->init || !init->extents.empty())) return {};
    if (!cond || (cond->op != BinaryOp::Lt && cond->op != BinaryOp::Le) || !node->step) return {};
    const Expr *bounded = cond->lhs;
    while (const auto *cast = dyn<Cast>(bounded)) {
      // A wider type compares the same.
      if (cast->type.bytes() < cast->operand->type.bytes() || cast->operand->type.isSigned() != cast->type.isSigned())
        return {};
      bounded = cast->operand;
    }
    const auto *variable = dyn<VarRef>(bounded);
    if (!variable || (init && init->name != variable->name)) return {};
    c.variable = variable->name;
    c.type = variable->type;
    c.begin = init ? init->init : nullptr;
    c.end = cond->rhs;
    if (cond->op == BinaryOp::Le) { // up to a number that is not the type's greatest
      const std::optional<Int> last = literal(c.end);
      if (!last || *last < 0 || *last >= std::numeric_limits<std::int8_t>::max()) return {};
      c.end = Build(arena, s->range).integer(c.end->type, *last + 1);
    }
    c.step = step(arena, node->step, c.variable);
    c.body = node->body;
    if (!c.step) return {};
    c.step = number(arena, c.step, c.type);
  } else {
    return {};
  }
  std::set<std::string> changed = assignedVariables(c.body);
  bool whole = c.type.isInteger() && c.end->type.isInteger() && !c.type.isBool();
  bool structured = any<Stmt>(c.body, [](const Stmt &inner) {
    return isa<Sync>(&inner) || isa<Single>(&inner) || isa<Cooperate>(&inner) || isa<Alloc>(&inner) ||
           (isa<Loop>(&inner) && as<Loop>(&inner)->policy == Policy::Distribute);
  });
  if (!whole || structured || changed.count(c.variable) || jumpsOut(c.body)) return {};
  changed.merge(declaredIn(c.body));
  changed.insert(c.variable);
  if ((c.begin && !keeps(c.begin, changed)) || !keeps(c.end, changed) || !keeps(c.step, changed)) return {};
  return c;
}

bool goesOn(const Expr *begin, const std::set<std::string> &assigned) {
  const auto *variable = dyn<VarRef>(begin);
  return variable && assigned.count(variable->name);
}

} // namespace tangram::loops
