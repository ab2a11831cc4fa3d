#include "Loaded.h"

#include "tangram/ast/Build.h"

namespace tangram::batching {

using namespace ast;

bool updates(const Assign *assign) {
  const Type &type = assign->target->type;
  return assign->op != AssignOp::Set && type == assign->value->type && type.bytes() >= 4;
}

const Expr *WithLoaded::variable(const Expr *e) {
  auto found = loaded_.find(e);
  return found == loaded_.end() ? nullptr : Build(arena(), e->range).var(found->second, e->type);
}

const Node *WithLoaded::mutateSubscript(const Subscript *e) {
  const Expr *loaded = variable(e);
  return loaded ? loaded : rebuild(e);
}

const Node *WithLoaded::mutateVectorLoad(const VectorLoad *e) {
  const Expr *loaded = variable(e);
  return loaded ? loaded : rebuild(e);
}

const Node *WithLoaded::mutateAssign(const Assign *e) {
  const Expr *before = updates(e) ? variable(e->target) : nullptr, *value = mutateAs(e->value);
  const auto *place = dyn<Subscript>(e->target); // itself it stays
  const Expr *target = place ? as<Expr>(rebuild(place)) : e->target;
  if (!before && target == e->target && value == e->value) return e;
  return arena().derive(e, [&](Assign &copy) {
    copy.target = target;
    copy.value = value;
    if (!before) return;
    copy.op = AssignOp::Set;
    copy.value = Build(arena(), e->range).binary(binaryOf(e->op), before, value);
  });
}

} // namespace tangram::batching
