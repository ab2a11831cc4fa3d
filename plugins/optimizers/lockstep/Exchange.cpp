// A shared array in which each lane writes only its own element is a vector register: other lanes' elements are read by
// exchanging lanes, and nothing goes through memory.
#include "Lanes.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

namespace tangram::lockstep {

using namespace ast;

/// The number of the lane that asks, whatever it is called.
bool Lanes::isOwnLane(const Expr *index) const {
  for (;;) {
    const auto *cast = dyn<Cast>(index);
    const auto *v = dyn<VarRef>(index);
    if (cast && cast->type.isInteger() && cast->type.bytes() >= 4)
      index = cast->operand;
    else if (v && v->name == region_.lane)
      return true;
    else if (v && u_.fixed(v->name) && u_.initialiser(v->name))
      index = u_.initialiser(v->name);
    else
      return false;
  }
}

bool Lanes::exchanges(const Declare *d) const {
  if (!region_.cooperative || !d->shared || mask_ || d->init || d->extents.size() != 1 || !d->type.isScalar() ||
      d->type.isBool() || known_(d->extents[0]) != Int{lanes_})
    return false;
  std::size_t mentions = 0, elements = 0;
  auto element = [&](const Expr *place) {
    const auto *subscript = dyn<Subscript>(place);
    const auto *base = subscript ? dyn<VarRef>(subscript->base) : nullptr;
    return base && base->name == d->name ? subscript : nullptr;
  };
  bool own = true;
  auto written = [&](const Expr *place) {
    if (const Subscript *target = element(place)) own &= target->indices.size() == 1 && isOwnLane(target->indices[0]);
  };
  walk(
      region_.body, [&](const VarRef &v) { mentions += v.name == d->name; },
      [&](const Subscript &s) { elements += element(&s) != nullptr; }, [&](const Assign &a) { written(a.target); },
      [&](const Unary &u) {
        own &= u.op != UnaryOp::AddressOf || !element(u.operand);
        if (hasEffects(&u)) written(u.operand);
      },
      [&](const Atomic &a) { own &= !element(a.target); });
  return own && mentions == elements;
}

const Lanes::Binding *Lanes::exchange(const Expr *place) const {
  const auto *subscript = dyn<Subscript>(place);
  const auto *base = subscript ? dyn<VarRef>(subscript->base) : nullptr;
  auto it = base ? env_.find(base->name) : env_.end();
  return it != env_.end() && it->second.kind == Binding::Kind::Exchange ? &it->second : nullptr;
}

const Expr *Lanes::exchanged(const Binding &array, const Subscript *e) {
  const Expr *all = b().var(array.name, vec(e->type)), *index = e->indices.at(0);
  if (isOwnLane(index)) return all;
  const Type u32 = Scalar::U32;
  if (!u_.varying(index)) {
    // A lane that is left out may ask for any element: the number is cut to those that there are.
    const Expr *lane = b().cast(u32, uniform(index));
    if (!isa<IntLit>(lane)) lane = b().binary(BinaryOp::And, lane, b().integer(u32, lanes_ - 1));
    return arena_.make<VectorLane>(here_, e->type, all, lane);
  }
  std::optional<Affine> a = affine(index);
  const Expr *lanes = a ? materialise({b().cast(u32, a->base), a->step, true}, u32) : cast(u32, vector(index));
  return arena_.make<Shuffle>(here_, vec(e->type), all, lanes, "");
}

const Expr *Lanes::assignExchange(const Binding &array, const Subscript *target, AssignOp op, const Expr *operand,
                                  Wants wants) {
  const Expr *x = b().var(array.name, vec(target->type));
  const Expr *right = value(operand);
  const Expr *old = wants == Wants::Old ? constant("old", x) : nullptr;
  const Expr *result = spread(applied(op, x, right, target->type));
  if (mask_) result = arena_.make<VectorSelect>(here_, x->type, mask_, result, x);
  emit(b().assign(x, result));
  return old ? old : x;
}

} // namespace tangram::lockstep
