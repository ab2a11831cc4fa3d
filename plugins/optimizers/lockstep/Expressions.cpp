// Expressions: scalar where all lanes agree, vectors where not.
#include "Lanes.h"

#include "tangram/ast/Builtins.h"
#include "tangram/ast/Checks.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"

namespace tangram::lockstep {

using namespace ast;

namespace {

bool isLogic(BinaryOp op) { return op == BinaryOp::LogicalAnd || op == BinaryOp::LogicalOr; }
bool isDivision(BinaryOp op) { return op == BinaryOp::Div || op == BinaryOp::Rem; }

bool readsMemory(const Expr *e) {
  return contains<Subscript>(e) || ast::any<Unary>(e, [](const Unary &u) { return u.op == UnaryOp::Deref; });
}
/// May trap, or read or report where nothing is, in a lane that does not exist.
bool needsLanes(const Expr *e) {
  return readsMemory(e) || contains<Call>(e) || contains<Check>(e) || hasEffects(e) ||
         ast::any<Binary>(
             e, [](const Binary &b) { return isDivision(b.op) && b.type.isInteger() && !isa<IntLit>(b.rhs); });
}

} // namespace

const Expr *Lanes::constant(const std::string &hint, const Expr *value) {
  std::string name = names_.fresh(hint);
  emit(b().declare(name, value->type, value));
  return b().var(name, value->type);
}

const Expr *Lanes::reduce(ReduceOp op, const Expr *v, const Type &type) {
  return arena_.make<VectorReduce>(here_, type, op, v);
}

const Expr *Lanes::both(const Expr *mask, const Expr *more) {
  if (!mask) return more;
  return arena_.make<Binary>(here_, maskType(), BinaryOp::And, mask, more);
}

const Expr *Lanes::negate(const Expr *mask) { return arena_.make<Unary>(here_, maskType(), UnaryOp::Not, mask); }

const Expr *Lanes::spread(const Expr *e) {
  if (e->type.isVector()) return e;
  if (!e->type.isScalar()) unsupported(e, fmt::format("a {} in every lane", e->type.text()));
  return arena_.make<Broadcast>(here_, vec(e->type), e);
}

const Expr *Lanes::vector(const Expr *e) { return spread(value(e)); }

const Expr *Lanes::truth(const Expr *e) {
  const Expr *v = value(e);
  if (v->type.isBool() || (v->type.isVector() && v->type.element().isBool())) return v;
  return cast(Scalar::Bool, v);
}

const Expr *Lanes::uniform(const Expr *e) {
  auto rename = [&](const VarRef *v) -> const Expr * {
    auto it = env_.find(v->name);
    if (it == env_.end()) return v;
    if (it->second.kind == Binding::Kind::Value) return it->second.base;
    if (it->second.kind != Binding::Kind::Scalar)
      failBug(v->range, "lockstep", fmt::format("'{}' is not the same in all lanes", v->name));
    if (it->second.name == v->name) return v;
    return arena_.derive(v, [&](VarRef &copy) { copy.name = it->second.name; });
  };
  auto element = [&](const Subscript *place) {
    const Binding *array = exchange(place);
    return array ? exchanged(*array, place) : nullptr;
  };
  return substituted(arena_, e, rename, element);
}

const Expr *Lanes::laneNumbers(const Type &scalar) { return arena_.make<LaneIndex>(here_, vec(scalar)); }

const Expr *Lanes::materialise(const Affine &a, const Type &scalar) {
  if (a.step == 0) return spread(a.base);
  const Expr *lanes = laneNumbers(scalar);
  if (a.step != 1) lanes = arithmetic(BinaryOp::Mul, lanes, spread(b().integer(scalar, a.step)), scalar);
  if (isLiteral(a.base, 0)) return lanes;
  return arithmetic(BinaryOp::Add, spread(a.base), lanes, scalar);
}

const Expr *Lanes::variable(const VarRef *e) {
  auto it = env_.find(e->name);
  if (it == env_.end()) return e;
  const Binding &binding = it->second;
  switch (binding.kind) {
  case Binding::Kind::Scalar: return b().var(binding.name, e->type);
  case Binding::Kind::Value: return binding.base;
  case Binding::Kind::Vector: return b().var(binding.name, vec(e->type));
  case Binding::Kind::Affine:
    if (binding.step == 0) return binding.base;
    return materialise({binding.base, binding.step, binding.exact}, e->type);
  case Binding::Kind::Private:
  case Binding::Kind::Exchange: break;
  }
  unsupported(e, fmt::format("array '{}' as a value", e->name));
}

const Expr *Lanes::arithmetic(BinaryOp op, const Expr *lhs, const Expr *rhs, const Type &scalar) {
  auto none = [&](const Expr *e) {
    const auto *same = dyn<Broadcast>(e);
    return same && scalar.isInteger() && isLiteral(same->operand, 0);
  };
  if ((op == BinaryOp::Add || op == BinaryOp::Sub) && none(rhs)) return lhs;
  if (op == BinaryOp::Add && none(lhs)) return rhs;
  Type type = isComparison(op) ? maskType() : vec(scalar);
  return arena_.make<Binary>(here_, type, op, lhs, rhs);
}

const Expr *Lanes::value(const Expr *e) {
  bool mayBeNone = guarded_ && mask_ && needsLanes(e);
  if (!u_.varying(e)) {
    if (!mayBeNone) return uniform(e);
    // One value for all lanes, if there is a lane at all.
    if (!hasEffects(e) && e->type.isScalar())
      return arena_.make<Conditional>(here_, e->type, any(mask_), uniform(e), b().zero(e->type));
  }
  switch (exprKind(*e)) {
  case ExprKind::VarRef: return variable(as<VarRef>(e));
  case ExprKind::Unary: return unary(as<Unary>(e));
  case ExprKind::Binary: return binary(as<Binary>(e));
  case ExprKind::Assign: return assign(as<Assign>(e)->target, as<Assign>(e)->op, as<Assign>(e)->value, Wants::New);
  case ExprKind::Conditional: return conditional(as<Conditional>(e));
  case ExprKind::Cast: return cast(e->type, value(as<Cast>(e)->operand));
  case ExprKind::Call: return call(as<Call>(e));
  case ExprKind::Subscript: return load(e);
  case ExprKind::Atomic: return atomic(as<Atomic>(e));
  case ExprKind::Check: return check(as<Check>(e));
  case ExprKind::IntLit:
  case ExprKind::FloatLit: return e;
  case ExprKind::Member:
  case ExprKind::InitList:
  case ExprKind::Size:
  case ExprKind::Pitch:
  case ExprKind::CoopIdx:
  case ExprKind::CoopDim:
  case ExprKind::Faulted:
  case TANGRAM_LANGUAGE_EXPRS:
  case TANGRAM_DEVICE_EXPRS:
  case TANGRAM_VECTOR_EXPRS: break;
  }
  unsupported(e, fmt::format("a {} that differs between lanes", name(e->kind())));
}

const Expr *Lanes::check(const Check *e) {
  return arena_.make<Check>(e->range, maskType(), vector(e->index), vector(e->bound), e->what, mask_, e->record,
                            e->site);
}

const Expr *Lanes::cast(const Type &to, const Expr *operand) {
  if (!operand->type.isVector()) return b().cast(to, operand);
  if (to.isVoid()) return operand;
  if (!to.isScalar()) unsupported(operand, fmt::format("a conversion to {}", to.text()));
  if (operand->type.element() == to) return operand;
  // Vectors of indices need no detour over the lanes.
  return arena_.make<Cast>(here_, vec(to), operand);
}

const Expr *Lanes::unary(const Unary *e) {
  switch (e->op) {
  case UnaryOp::Deref: return load(e);
  case UnaryOp::PreInc:
  case UnaryOp::PreDec: return increment(e, Wants::New);
  case UnaryOp::PostInc:
  case UnaryOp::PostDec: return increment(e, Wants::Old);
  case UnaryOp::AddressOf: unsupported(e, "an address that differs between lanes");
  case UnaryOp::Plus: return value(e->operand);
  case UnaryOp::Not: {
    const Expr *operand = truth(e->operand);
    if (!operand->type.isVector()) return b().logicalNot(operand);
    return cast(e->type, negate(operand));
  }
  case UnaryOp::Minus:
  case UnaryOp::BitNot: break;
  }
  const Expr *operand = value(e->operand);
  return arena_.make<Unary>(here_, operand->type.isVector() ? operand->type : e->type, e->op, operand);
}

/// A literal that anything can be divided by.
bool Lanes::divides(const Expr *divisor) const {
  if (const auto *same = dyn<Broadcast>(divisor)) divisor = same->operand;
  std::optional<Int> value = literal(divisor);
  return value && *value != 0 && *value != -1;
}

/// Whether all lanes of the region compare alike, where that is known when the kernel is compiled: id < 16 of 16 lanes.
std::optional<bool> Lanes::decided(const Binary *e) {
  if (e->op != BinaryOp::Lt && e->op != BinaryOp::Le && e->op != BinaryOp::Gt && e->op != BinaryOp::Ge) return {};
  if (hasEffects(e)) return {};
  auto range = [&](const Expr *side) -> std::optional<std::pair<Int, Int>> {
    std::optional<Affine> a = affine(side);
    std::optional<Int> first = a && a->exact ? known_(a->base) : std::nullopt;
    if (!first || *first < 0 || *first > kFar) return {};
    Int last = *first + a->step * static_cast<Int>(lanes_ - 1);
    if (last < 0) return {};
    return std::minmax(*first, last);
  };
  auto lhs = range(e->lhs);
  auto rhs = lhs ? range(e->rhs) : std::nullopt;
  if (!rhs) return {};
  bool swap = e->op == BinaryOp::Gt || e->op == BinaryOp::Ge, orEqual = e->op == BinaryOp::Le || e->op == BinaryOp::Ge;
  if (swap) std::swap(lhs, rhs);
  if (orEqual ? lhs->second <= rhs->first : lhs->second < rhs->first) return true;
  if (orEqual ? lhs->first > rhs->second : lhs->first >= rhs->second) return false;
  return {};
}

/// Shorter numbers of one type compare like the wider ones that C++ makes of them, and more of them fill a register.
/// Null for others.
const Expr *Lanes::comparedAsTheyAre(const Binary *e) {
  const auto *lhs = dyn<Cast>(e->lhs), *rhs = dyn<Cast>(e->rhs);
  if (!isComparison(e->op) || !lhs || !rhs) return nullptr;
  const Type &from = lhs->operand->type, &to = lhs->type;
  const bool keepsOrder = from.isInteger() && to.isInteger() && !from.isBool() && from.bytes() < to.bytes() &&
                          (to.isSigned() || !from.isSigned());
  if (!keepsOrder || rhs->operand->type != from) return nullptr;
  const Expr *left = value(lhs->operand), *right = value(rhs->operand);
  if (!left->type.isVector() && !right->type.isVector())
    return arena_.make<Binary>(here_, e->type, e->op, b().cast(to, left), b().cast(to, right));
  return arithmetic(e->op, spread(left), spread(right), from);
}

/// A quotient or remainder of what lanes count, from a multiple of the divisor on: the first lane's and what is known
/// of the lanes when the kernel is compiled. Null for others.
const Expr *Lanes::dividedLanes(const Binary *e) {
  if (!isDivision(e->op) || !e->type.isInteger() || hasEffects(e)) return nullptr;
  const std::optional<Divided> by = divided(e);
  if (!by || !by->lanes.exact || by->lanes.step == 0 || alignmentOf(by->lanes.base) % by->by != 0) return nullptr;
  const Type scalar = e->type;
  const Expr *divisor = b().integer(scalar, by->by);
  const Expr *own =
      arithmetic(e->op, materialise({b().zero(scalar), by->lanes.step, true}, scalar), spread(divisor), scalar);
  if (e->op == BinaryOp::Rem) return own;
  return arithmetic(BinaryOp::Add, spread(b().div(by->lanes.base, divisor)), own, scalar);
}

const Expr *Lanes::binary(const Binary *e) {
  if (e->op == BinaryOp::Comma) {
    effect(e->lhs);
    return value(e->rhs);
  }
  if (isLogic(e->op)) {
    if (std::optional<Int> known = u_.varying(e->lhs) ? std::nullopt : known_(e->lhs))
      return (*known != 0) == (e->op == BinaryOp::LogicalOr) ? b().boolean(*known != 0) : cast(e->type, truth(e->rhs));
    const Expr *lhs = truth(e->lhs);
    if (!lhs->type.isVector()) {
      // All lanes take the right side, or none.
      const Expr *none = b().boolean(e->op == BinaryOp::LogicalOr);
      Stmts before = collect([&] { (void)truth(e->rhs); });
      if (!before.empty()) {
        std::string name = names_.fresh("known");
        emit(b().declare(name, maskType(), spread(none), false));
        const Expr *known = b().var(name, maskType());
        Stmts asked = collect([&] { emit(b().assign(known, spread(truth(e->rhs)))); });
        emit(b().when(e->op == BinaryOp::LogicalOr ? b().logicalNot(lhs) : lhs, std::move(asked)));
        return known;
      }
      const Expr *rhs = spread(truth(e->rhs));
      const Expr *then = e->op == BinaryOp::LogicalOr ? spread(none) : rhs;
      const Expr *otherwise = e->op == BinaryOp::LogicalOr ? rhs : spread(none);
      return arena_.make<Conditional>(here_, maskType(), lhs, then, otherwise);
    }
    BinaryOp op = e->op == BinaryOp::LogicalAnd ? BinaryOp::And : BinaryOp::Or;
    if (!needsLanes(e->rhs))
      return cast(e->type, arena_.make<Binary>(here_, maskType(), op, lhs, spread(truth(e->rhs))));
    lhs = constant("known", lhs);
    const Expr *asked = both(mask_, op == BinaryOp::And ? lhs : negate(lhs));
    const Expr *rhs = nullptr;
    bool outer = std::exchange(guarded_, true);
    masked(asked, [&] { rhs = spread(truth(e->rhs)); });
    guarded_ = outer;
    return cast(e->type, arena_.make<Binary>(here_, maskType(), op, lhs, rhs));
  }
  if (std::optional<bool> same = decided(e)) return b().boolean(*same);
  if (const Expr *narrow = comparedAsTheyAre(e)) return narrow;
  if (const Expr *known = dividedLanes(e)) return known;
  const Expr *lhs = value(e->lhs), *rhs = value(e->rhs);
  if (!lhs->type.isVector() && !rhs->type.isVector()) return arena_.make<Binary>(here_, e->type, e->op, lhs, rhs);
  if (e->lhs->type.isPointer() || e->rhs->type.isPointer()) unsupported(e, "a pointer that differs between lanes");
  Type scalar = e->lhs->type;
  if (e->op == BinaryOp::Shl || e->op == BinaryOp::Shr) rhs = cast(scalar, rhs);
  if (scalar.isBool() && !isComparison(e->op) && e->op != BinaryOp::And && e->op != BinaryOp::Or &&
      e->op != BinaryOp::Xor)
    unsupported(e, "arithmetic with bool");
  // A lane that is left out must not divide by what it happens to hold.
  if (isDivision(e->op) && scalar.isInteger() && mask_ && !divides(rhs) && !known_(e->rhs).value_or(0)) {
    rhs = arena_.make<VectorSelect>(here_, vec(scalar), mask_, spread(rhs), spread(b().integer(scalar, 1)));
  }
  return arithmetic(e->op, spread(lhs), spread(rhs), scalar);
}

/// A choice among what its condition compares, as the greater of two: a load that the condition has done is not done
/// again, by the lanes that it holds for. Null where it is no such choice.
const Expr *Lanes::compared(const Conditional *e) {
  const auto *test = dyn<Binary>(e->cond);
  if (!test || !isComparison(test->op) || !test->lhs->type.isScalar() || test->lhs->type.isBool() || hasEffects(e))
    return nullptr;
  auto asked = [&](const Expr *side) { return equal(side, test->lhs) || equal(side, test->rhs); };
  for (const Expr *side : {e->then, e->otherwise})
    if (needsLanes(side) && !asked(side)) return nullptr;
  if (!(needsLanes(e->then) || needsLanes(e->otherwise)) || decided(test)) return nullptr;
  const Expr *lhs = value(test->lhs), *rhs = value(test->rhs);
  if (!lhs->type.isVector() && !rhs->type.isVector()) return nullptr;
  auto named = [&](const Expr *v) { return isa<VarRef>(v) || isa<Broadcast>(v) ? v : constant("compared", v); };
  lhs = named(spread(lhs));
  rhs = named(spread(rhs));
  auto side = [&](const Expr *from) {
    return equal(from, test->lhs) ? lhs : equal(from, test->rhs) ? rhs : vector(from);
  };
  const Expr *then = side(e->then), *otherwise = side(e->otherwise);
  return arena_.make<VectorSelect>(here_, vec(e->type), arithmetic(test->op, lhs, rhs, test->lhs->type), then,
                                   otherwise);
}

const Expr *Lanes::conditional(const Conditional *e) {
  if (!e->type.isScalar()) unsupported(e, fmt::format("a choice of {}", e->type.text()));
  if (const Expr *known = compared(e)) return known;
  const Expr *cond = truth(e->cond);
  if (std::optional<Int> known = literal(cond)) return value(*known ? e->then : e->otherwise);
  if (!cond->type.isVector()) {
    const Expr *then = nullptr, *otherwise = nullptr;
    Stmts effects = collect([&] {
      then = vector(e->then);
      otherwise = vector(e->otherwise);
    });
    if (effects.empty()) return arena_.make<Conditional>(here_, vec(e->type), cond, then, otherwise);
    std::string name = names_.fresh("chosen");
    emit(b().declare(name, vec(e->type), spread(b().zero(e->type)), false));
    const Expr *chosen = b().var(name, vec(e->type));
    auto side = [&](const Expr *from) { return collect([&] { emit(b().assign(chosen, vector(from))); }); };
    Stmts first = side(e->then), second = side(e->otherwise);
    emit(b().when(cond, std::move(first), std::move(second)));
    return chosen;
  }
  bool lanes = needsLanes(e->then) || needsLanes(e->otherwise);
  if (lanes && !isa<VarRef>(cond)) cond = constant("chosen", cond);
  auto side = [&](const Expr *from, const Expr *condition) {
    if (!needsLanes(from)) return vector(from);
    bool outer = std::exchange(guarded_, true);
    const Expr *result = nullptr;
    masked(both(mask_, condition), [&] { result = vector(from); });
    guarded_ = outer;
    return result;
  };
  const Expr *then = side(e->then, cond);
  const Expr *otherwise = side(e->otherwise, needsLanes(e->otherwise) ? negate(cond) : cond);
  return arena_.make<VectorSelect>(here_, vec(e->type), cond, then, otherwise);
}

/// Lane `l`'s value of a vector that it can make by itself: a broadcast, an element of a container that is only read.
/// Null where the vector has to be there first.
const Expr *Lanes::ownValue(const Expr *v, const Expr *l) {
  if (!v->type.isVector()) return v;
  if (const auto *same = dyn<Broadcast>(v)) return same->operand;
  if (const auto *converted = dyn<Cast>(v)) {
    const Expr *own = ownValue(converted->operand, l);
    return own ? b().cast(v->type.element(), own) : nullptr;
  }
  const auto *loaded = dyn<VectorLoad>(v);
  if (!loaded || loaded->index->type.isVector() || !loaded->base->type.toConst()) return nullptr;
  if (loaded->mask && loaded->mask != mask_) return nullptr; // lanes that are left out do nothing
  return b().element(loaded->base, {b().add(loaded->index, b().cast(loaded->index->type, l))}, v->type.element());
}

const Expr *Lanes::laneByLane(const std::vector<const Expr *> &operands, const Type &result,
                              const std::function<const Expr *(std::vector<const Expr *>)> &scalar, bool wanted) {
  std::string array = names_.fresh("results"), index = names_.fresh("l");
  const Expr *place = b().var(array, Type::pointer(result)), *l = b().var(index, Scalar::U32);
  std::vector<const Expr *> own;
  for (const Expr *operand : operands) {
    const Expr *one = ownValue(operand, l);
    if (!one)
      one = arena_.make<VectorLane>(here_, operand->type.element(),
                                    isa<VarRef>(operand) ? operand : constant("each", operand), l);
    own.push_back(one);
  }
  const Expr *mask = mask_ && !isa<VarRef>(mask_) ? constant("active", mask_) : mask_;

  if (wanted)
    emit(arena_.make<Declare>(here_, array, result, false, false, std::vector<const Expr *>{b().u64(lanes_)}, nullptr,
                              nullptr));
  Stmts body = collect([&] {
    const Expr *element = b().element(place, {l}, result), *one = scalar(std::move(own));
    const Stmt *store = wanted ? b().assign(element, one) : arena_.make<Evaluate>(here_, one);
    if (mask) {
      const Expr *active = arena_.make<VectorLane>(here_, Type(Scalar::Bool), mask, l);
      if (wanted) emit(b().assign(element, b().zero(result)));
      emit(b().when(active, {store}));
    } else {
      emit(store);
    }
  });
  emit(arena_.make<For>(here_, b().declare(index, Scalar::U32, b().integer(Scalar::U32, 0), false),
                        b().less(l, b().integer(Scalar::U32, lanes_)),
                        arena_.make<Unary>(here_, Type(Scalar::U32), UnaryOp::PreInc, l), b().block(std::move(body))));
  return wanted ? arena_.make<VectorLoad>(here_, vec(result), place, b().u64(0), nullptr) : nullptr;
}

const Expr *Lanes::call(const Call *e) {
  const Function *function = nullptr;
  for (const Function *f : module_.functions)
    if (f->name == e->callee) function = f;
  auto sharesRecord = [&](std::size_t i) {
    return function && i < function->params.size() && isRecord(*function, *function->params[i]);
  };
  std::vector<const Expr *> args;
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    const Expr *arg = e->args[i];
    bool readsOnly = arg->type.isPointer() && arg->type.toConst() && !u_.varying(arg);
    if (!arg->type.isScalar() && !readsOnly && !sharesRecord(i))
      unsupported(e, fmt::format("a call of '{}' with a {}", e->callee, arg->type.text()));
    args.push_back(value(arg));
  }
  if (!function && isMathFunction(e->callee)) {
    for (const Expr *&arg : args) arg = spread(arg);
    // abs and the classifications answer in another type than they ask.
    return arena_.make<Call>(here_, vec(e->type), e->callee, std::move(args));
  }
  if (!e->type.isScalar()) unsupported(e, fmt::format("a call of '{}', which returns {}", e->callee, e->type.text()));
  for (std::size_t i = 0; function && i < function->params.size(); ++i)
    if (const Param *p = function->params[i]; !sharesRecord(i))
      if (p->access != Access::In || (p->type.isPointer() && !p->type.toConst()))
        unsupported(e, fmt::format("a call of '{}', which changes its argument '{}'", e->callee, p->name));
  return laneByLane(args, e->type, [&](std::vector<const Expr *> own) {
    return arena_.derive(e, [&](Call &copy) { copy.args = std::move(own); });
  });
}

const Expr *Lanes::atomic(const Atomic *e, bool wanted) {
  Place place;
  const VarRef *scalar = dyn<VarRef>(e->target);
  std::vector<const Expr *> operands;
  if (!scalar) {
    place = placeOf(e->target);
    if (place.isPrivate) unsupported(e, "an atomic operation on a variable that no other lane sees");
    operands.push_back(value(place.index));
  } else if (u_.varying(scalar->name)) {
    unsupported(e, "an atomic operation on a variable that no other lane sees");
  }
  for (const Expr *operand : e->operands) operands.push_back(value(operand));
  auto lane = [&](std::vector<const Expr *> own) {
    const Expr *target = scalar ? uniform(scalar) : nullptr;
    if (!scalar) {
      target = b().element(place.base, {own[0]}, e->target->type);
      own.erase(own.begin());
    }
    return arena_.derive(e, [&](Atomic &copy) {
      copy.target = target;
      copy.operands = std::move(own);
    });
  };
  return laneByLane(operands, e->type, lane, wanted);
}

} // namespace tangram::lockstep
