// Assignments, and where lanes touch memory.
#include "Lanes.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Walk.h"

#include <utility>

namespace tangram::lockstep {

using namespace ast;

namespace {

AssignOp opposite(bool decrement) { return decrement ? AssignOp::Sub : AssignOp::Add; }

/// base + lanes steps of it cannot wrap whatever else is known.
bool isSmall(const Expr *base) {
  std::optional<Int> value = literal(base);
  return value && *value >= 0 && *value < kFar;
}

} // namespace

// ---- where lanes are ------------------------------------------------------------------------------------

/// A power of two of which the value is a multiple, as far as its expression shows: also where it has wrapped around.
Int Lanes::alignmentOf(const Expr *e) const {
  auto power = [](Int n) { return n & -n; };
  if (std::optional<Int> n = known_(e)) return *n == 0 ? kFar : std::min(power(*n), kFar);
  if (const auto *c = dyn<Cast>(e); c && c->type.isInteger() && c->operand->type.isInteger())
    return std::min(alignmentOf(c->operand), Int{1} << std::min(20U, 8 * c->type.bytes() - 1));
  if (const auto *v = dyn<VarRef>(e)) {
    auto known = alignments_.find(v->name);
    return known == alignments_.end() ? 1 : known->second;
  }
  const auto *node = dyn<Binary>(e);
  if (!node) return 1;
  Int lhs = alignmentOf(node->lhs), rhs = alignmentOf(node->rhs);
  if (node->op == BinaryOp::Mul) return std::min(lhs * rhs, kFar);
  return node->op == BinaryOp::Add || node->op == BinaryOp::Sub ? std::min(lhs, rhs) : 1;
}

/// Whether the value is not negative, also read as a signed number.
bool Lanes::isNatural(const Expr *e) const {
  if (std::optional<Int> n = known_(e)) return *n >= 0;
  if (const auto *v = dyn<VarRef>(e)) return counters_.count(v->name) > 0;
  if (const auto *c = dyn<Cast>(e))
    return (c->exact == Flag::Yes || c->type.bytes() > c->operand->type.bytes()) && isNatural(c->operand);
  const auto *node = dyn<Binary>(e);
  return node && (node->op == BinaryOp::Add || node->op == BinaryOp::Mul) && isNatural(node->lhs) &&
         isNatural(node->rhs);
}

/// What lanes that count on are divided by, and where they are; nothing where they may be below 0.
std::optional<Lanes::Divided> Lanes::divided(const Binary *e) {
  std::optional<Int> by = u_.varying(e->rhs) ? std::nullopt : known_(e->rhs);
  std::optional<Affine> a = by && *by > 0 ? affine(e->lhs) : std::nullopt;
  if (!a || a->step < 0 || (e->type.isSigned() && !(a->exact && isNatural(a->base)))) return {};
  return Divided{*a, *by};
}

std::optional<Lanes::Affine> Lanes::affine(const Expr *e) {
  if (!e->type.isInteger() || e->type.isBool()) return {};
  if (!u_.varying(e)) {
    const Expr *base = value(e);
    if (base->type.isVector()) return {};
    return Affine{base, 0, true};
  }
  bool wide = e->type.bytes() == 8;
  auto combined = [&](BinaryOp op, const Affine &a, const Affine &c) -> std::optional<Affine> {
    Affine r;
    r.step = op == BinaryOp::Add ? a.step + c.step : a.step - c.step;
    if (r.step > kFar || r.step < -kFar) return {};
    r.base = b().binary(op, a.base, c.base);
    // Signed arithmetic does not overflow in lanes that are used; unsigned arithmetic may wrap, as in id - s.
    r.exact = wide || (a.exact && c.exact && (e->type.isSigned() || (isSmall(r.base) && r.step >= 0)));
    return r;
  };
  switch (exprKind(*e)) {
  case ExprKind::VarRef: {
    auto it = env_.find(as<VarRef>(e)->name);
    if (it == env_.end() || it->second.kind != Binding::Kind::Affine) return {};
    return Affine{it->second.base, it->second.step, it->second.exact};
  }
  case ExprKind::Cast: {
    const Expr *operand = as<Cast>(e)->operand;
    if (!operand->type.isInteger() || operand->type.isBool() || operand->type.bytes() < 4 || e->type.bytes() < 4)
      return {};
    std::optional<Affine> a = affine(operand);
    if (!a) return {};
    if (as<Cast>(e)->exact == Flag::Yes) return Affine{b().exactCast(e->type, a->base), a->step, a->exact};
    bool widens = e->type.bytes() > operand->type.bytes();
    if (!widens) return Affine{b().cast(e->type, a->base), a->step, wide || (a->exact && isSmall(a->base))};
    if (a->exact || a->step == 0) return Affine{b().cast(e->type, a->base), a->step, true};
    // Lanes in front of a wrap are not used: an index there would be beyond any container. So the last lane counts.
    Int far = a->step * static_cast<Int>(lanes_ - 1);
    const Expr *shift = b().integer(operand->type, far), *last = nullptr;
    // (c - s) + far reads better as (c + far) - s.
    const auto *difference = dyn<Binary>(a->base);
    if (difference && difference->op == BinaryOp::Sub && isa<IntLit>(difference->lhs))
      last = b().sub(b().add(difference->lhs, shift), difference->rhs);
    else
      last = b().add(a->base, shift);
    return Affine{b().sub(b().cast(e->type, last), b().integer(e->type, far)), a->step, true};
  }
  case ExprKind::Conditional: {
    // min(0, x) of unsigned values.
    const auto *c = as<Conditional>(e);
    const auto *test = dyn<Binary>(c->cond);
    if (std::optional<bool> same = test && u_.varying(test) ? decided(test) : std::nullopt)
      return affine(*same ? c->then : c->otherwise);
    bool least = test && test->op == BinaryOp::Lt && equal(test->lhs, c->then) && equal(test->rhs, c->otherwise);
    if (!least || e->type.isSigned() || hasEffects(e)) return {};
    std::optional<Affine> a = affine(c->then);
    return a && a->step == 0 && isLiteral(a->base, 0) ? a : std::nullopt;
  }
  case ExprKind::Unary: {
    const auto *u = as<Unary>(e);
    if (u->op != UnaryOp::Minus && u->op != UnaryOp::Plus) return {};
    std::optional<Affine> a = affine(u->operand);
    if (!a || u->op == UnaryOp::Plus) return a;
    return combined(BinaryOp::Sub, Affine{b().integer(e->type, 0), 0, true}, *a);
  }
  case ExprKind::Binary: {
    const auto *node = as<Binary>(e);
    if (node->op == BinaryOp::Add || node->op == BinaryOp::Sub) {
      std::optional<Affine> lhs = affine(node->lhs);
      std::optional<Affine> rhs = lhs ? affine(node->rhs) : std::nullopt;
      return rhs ? combined(node->op, *lhs, *rhs) : std::nullopt;
    }
    if (node->op == BinaryOp::Div || node->op == BinaryOp::Rem) {
      // Rows and columns that lanes count: lanes that do not cross the end of a row have one, side by side.
      const std::optional<Divided> by = divided(node);
      if (!by) return {};
      const auto &[a, n] = *by;
      const Int far = a.step * static_cast<Int>(lanes_ - 1);
      std::optional<Int> first = literal(a.base);
      bool together =
          first && a.exact ? *first >= 0 && *first % n + far < n : std::min(alignmentOf(a.base), n & -n) > far;
      const Expr *base = b().binary(node->op, a.base, b().integer(e->type, n));
      if (together) return Affine{base, node->op == BinaryOp::Div ? 0 : a.step, true};
      if (a.step % n == 0 && a.exact) return Affine{base, node->op == BinaryOp::Div ? a.step / n : 0, true};
      return {};
    }
    const Expr *varying = node->lhs, *other = node->rhs;
    if (node->op == BinaryOp::Mul && u_.varying(other)) std::swap(varying, other);
    if ((node->op != BinaryOp::Mul && node->op != BinaryOp::Shl) || u_.varying(other)) return {};
    if (node->op == BinaryOp::Mul)
      if (std::optional<Affine> same = affine(varying); same && same->step == 0)
        if (const Expr *by = value(other); !by->type.isVector())
          return Affine{b().mul(same->base, by), 0, wide || same->exact};
    std::optional<Int> factor = known_(other);
    if (!factor || *factor < 0 || *factor > kFar) return {};
    if (node->op == BinaryOp::Shl) {
      if (*factor > 20) return {};
      factor = Int{1} << *factor;
    }
    std::optional<Affine> a = affine(varying);
    if (!a || std::abs(a->step) * *factor > kFar) return {};
    Affine r{b().mul(a->base, b().integer(e->type, *factor)), a->step * *factor, false};
    r.exact = wide || (a->exact && (e->type.isSigned() || (isSmall(r.base) && r.step >= 0)));
    return r;
  }
  case ExprKind::IntLit:
  case ExprKind::FloatLit:
  case ExprKind::Assign:
  case ExprKind::Call:
  case ExprKind::Subscript:
  case ExprKind::Member:
  case ExprKind::InitList:
  case ExprKind::Size:
  case ExprKind::Pitch:
  case ExprKind::CoopIdx:
  case ExprKind::CoopDim:
  case ExprKind::Atomic:
  case TANGRAM_LANGUAGE_EXPRS:
  case TANGRAM_DEVICE_EXPRS:
  case TANGRAM_CHECKED_EXPRS:
  case TANGRAM_VECTOR_EXPRS: break;
  }
  return {};
}

std::optional<Int> Lanes::likelyStep(const Expr *e) {
  if (!e->type.isInteger()) return {};
  if (!u_.varying(e)) return 0;
  if (const auto *v = dyn<VarRef>(e)) {
    auto it = env_.find(v->name);
    if (it == env_.end()) return {};
    if (it->second.kind == Binding::Kind::Affine) return it->second.step;
    const Expr *init = u_.initialiser(v->name);
    return init ? likelyStep(init) : std::nullopt;
  }
  if (const auto *c = dyn<Cast>(e)) return likelyStep(c->operand);
  if (const auto *c = dyn<Conditional>(e)) {
    // A start that is cut to its container steps as long as it is not cut.
    std::optional<Int> then = likelyStep(c->then), otherwise = likelyStep(c->otherwise);
    if (then && otherwise) return *then != 0 ? then : otherwise;
    return then ? then : otherwise;
  }
  const auto *node = dyn<Binary>(e);
  if (!node) return {};
  if (node->op == BinaryOp::Add || node->op == BinaryOp::Sub) {
    std::optional<Int> lhs = likelyStep(node->lhs), rhs = likelyStep(node->rhs);
    if (!lhs || !rhs) return {};
    return node->op == BinaryOp::Add ? *lhs + *rhs : *lhs - *rhs;
  }
  if (node->op != BinaryOp::Mul) return {};
  bool left = u_.varying(node->lhs);
  if (left && u_.varying(node->rhs)) return {};
  std::optional<Int> factor = known_(left ? node->rhs : node->lhs), step = likelyStep(left ? node->lhs : node->rhs);
  if (!factor || !step || std::abs(*factor) > kFar || std::abs(*step) > kFar) return {};
  return *factor * *step;
}

// ---- memory ----------------------------------------------------------------------------------------------

Lanes::Place Lanes::placeOf(const Expr *e) {
  const Expr *base = nullptr, *index = nullptr;
  if (const auto *subscript = dyn<Subscript>(e)) {
    if (subscript->indices.size() != 1) unsupported(e, "an array of arrays whose element differs between lanes");
    base = subscript->base;
    index = b().cast(Scalar::U64, subscript->indices[0]);
  } else if (const auto *deref = dyn<Unary>(e); deref && deref->op == UnaryOp::Deref) {
    base = deref->operand;
    index = b().u64(0);
  } else {
    unsupported(e, fmt::format("a {} that differs between lanes", name(e->kind())));
  }
  // A pointer that differs between lanes is one that does not, plus an index that does.
  while (u_.varying(base)) {
    if (const auto *v = dyn<VarRef>(base)) {
      if (u_.isPrivate(v->name)) break;
      const Expr *init = u_.initialiser(v->name);
      if (!init) unsupported(e, "a pointer that moves differently in each lane");
      base = init;
      continue;
    }
    const auto *sum = dyn<Binary>(base);
    if (!sum || sum->op != BinaryOp::Add) unsupported(e, "a pointer that differs between lanes");
    bool left = sum->lhs->type.isPointer();
    index = b().add(index, b().cast(Scalar::U64, left ? sum->rhs : sum->lhs));
    base = left ? sum->lhs : sum->rhs;
  }
  const auto *v = dyn<VarRef>(base);
  if (v && u_.isPrivate(v->name)) {
    auto it = env_.find(v->name);
    if (it == env_.end())
      failBug(e->range, "lockstep", fmt::format("'{}' is used in front of its declaration", v->name));
    return {arena_.derive(v, [&](VarRef &copy) { copy.name = it->second.name; }), true, index};
  }
  return {uniform(base), false, index};
}

/// Elements of a private array lie lane beside lane: all lanes' element 0, then all lanes' element 1.
const Expr *Lanes::privateIndex(const Place &place) {
  const Type u64 = Scalar::U64;
  if (std::optional<Affine> a = affine(place.index); a && a->step == 0) return b().mul(a->base, b().u64(lanes_));
  const Expr *wide = arithmetic(BinaryOp::Mul, spread(value(place.index)), spread(b().u64(lanes_)), u64);
  return arithmetic(BinaryOp::Add, wide, laneNumbers(u64), u64);
}

/// Each lane's index by itself: in 32 bits where the array is small, of which a gather takes twice as many at a time.
const Expr *Lanes::indices(const Place &place) {
  const auto *array = dyn<VarRef>(place.base);
  const auto *wide = dyn<Cast>(place.index);
  bool narrow = array && small_.count(array->name) && wide && wide->operand->type.bytes() == 4;
  return vector(narrow ? wide->operand : place.index);
}

const Expr *Lanes::load(const Expr *e) {
  if (const Binding *array = exchange(e)) return exchanged(*array, as<Subscript>(e));
  return loadFrom(placeOf(e), e->type);
}

const Expr *Lanes::loadFrom(const Place &place, const Type &type) {
  if (!type.isScalar()) unsupported(place.base, fmt::format("elements of type {}", type.text()));
  if (place.isPrivate) {
    const Expr *index = privateIndex(place);
    bool masked = index->type.isVector() || guarded_;
    return arena_.make<VectorLoad>(here_, vec(type), place.base, index, masked ? mask_ : nullptr);
  }
  std::optional<Affine> a = affine(place.index);
  if (a && a->step == 0) {
    const Expr *element = b().element(place.base, {a->base}, type);
    if (!guarded_ || !mask_) return element;
    return arena_.make<Conditional>(here_, type, any(mask_), element, b().zero(type));
  }
  const Expr *index = a && a->step == 1 ? a->base : indices(place);
  return arena_.make<VectorLoad>(here_, vec(type), place.base, index, mask_);
}

void Lanes::store(const Place &place, const Expr *value, const Type &type) {
  if (!type.isScalar()) unsupported(place.base, fmt::format("elements of type {}", type.text()));
  if (place.isPrivate) {
    const Expr *index = privateIndex(place), *vector = spread(value), *mask = mask_;
    if (mask && !guarded_ && !index->type.isVector()) {
      // Some lane stores there: the others store what they have. What is loaded next does not wait for a masked store.
      const Expr *none = nullptr;
      const Expr *before = arena_.make<VectorLoad>(here_, vec(type), place.base, index, none);
      vector = arena_.make<VectorSelect>(here_, vec(type), std::exchange(mask, nullptr), vector, before);
    }
    emit(arena_.make<VectorStore>(here_, place.base, index, vector, mask));
    return;
  }
  std::optional<Affine> a = affine(place.index);
  if (a && a->step == 0) return once(b().assign(b().element(place.base, {a->base}, type), oneLane(value)));
  const Expr *index = a && a->step == 1 ? a->base : indices(place);
  emit(arena_.make<VectorStore>(here_, place.base, index, spread(value), mask_));
}

// ---- assignments -----------------------------------------------------------------------------------------

/// What is kept where all lanes write one place: the value of the lowest that does.
const Expr *Lanes::oneLane(const Expr *v) {
  if (!v->type.isVector()) return v;
  if (const auto *same = dyn<Broadcast>(v)) return same->operand;
  const Expr *lane = mask_ ? reduce(ReduceOp::First, mask_, Scalar::I32) : b().u64(0);
  return arena_.make<VectorLane>(here_, v->type.element(), v, lane);
}

/// A scalar statement, if there is any lane to do it.
void Lanes::once(const Stmt *s) { emit(guarded_ && mask_ ? b().when(any(mask_), {s}) : s); }

const Expr *Lanes::applied(AssignOp op, const Expr *old, const Expr *operand, const Type &scalar) {
  if (op == AssignOp::Set) return cast(scalar, operand);
  Type common = operand->type.isVector() ? operand->type.element() : operand->type;
  bool shifts = op == AssignOp::Shl || op == AssignOp::Shr;
  if (shifts) {
    common = scalar;
    operand = cast(scalar, operand);
  }
  if ((op == AssignOp::Div || op == AssignOp::Rem) && common.isInteger() && mask_ && !divides(operand))
    operand = arena_.make<VectorSelect>(here_, vec(common), mask_, spread(operand), spread(b().integer(common, 1)));
  old = cast(common, old);
  if (!old->type.isVector() && !operand->type.isVector())
    return b().cast(scalar, arena_.make<Binary>(here_, common, binaryOf(op), old, operand));
  return cast(scalar, arithmetic(binaryOf(op), spread(old), spread(operand), common));
}

const Expr *Lanes::assignVector(const VarRef *target, AssignOp op, const Expr *operand, Wants wants) {
  const Binding binding = env_.at(target->name);
  const Expr *x = b().var(binding.name, vec(target->type));
  const Expr *right = value(operand);
  const Expr *old = wants == Wants::Old ? constant("old", x) : nullptr;
  bool all = !mask_ || mask_ == binding.mask;
  Type rightScalar = right->type.isVector() ? right->type.element() : right->type;
  if (all && op != AssignOp::Set && rightScalar == target->type && !(mask_ && op >= AssignOp::Div)) {
    emit(arena_.make<Evaluate>(here_, arena_.make<Assign>(here_, x->type, op, x, spread(right))));
  } else {
    const Expr *result = spread(applied(op, x, right, target->type));
    if (!all) result = arena_.make<VectorSelect>(here_, x->type, mask_, result, x);
    emit(b().assign(x, result));
  }
  return old ? old : x;
}

const Expr *Lanes::assignShared(const VarRef *target, AssignOp op, const Expr *operand, Wants wants) {
  const Expr *x = uniform(target);
  const Expr *old = wants == Wants::Old ? constant("old", x) : nullptr;
  const Expr *result = applied(op, x, value(operand), target->type);
  if (wants == Wants::New) result = constant("value", result);
  once(b().assign(x, oneLane(result)));
  return old ? old : result;
}

/// A counter that is `base + lane * step`: its base moves.
const Expr *Lanes::assignBase(const VarRef *target, AssignOp op, const Expr *operand) {
  const Binding binding = env_.at(target->name);
  if (u_.varying(operand) || (op != AssignOp::Add && op != AssignOp::Sub) || !isa<VarRef>(binding.base))
    failBug(target->range, "lockstep", fmt::format("'{}' does not move with its lanes", target->name));
  emit(arena_.make<Evaluate>(here_, arena_.make<Assign>(here_, target->type, op, binding.base, uniform(operand))));
  return variable(target);
}

const Expr *Lanes::assignMemory(const Expr *target, AssignOp op, const Expr *operand, Wants wants) {
  if (const Binding *array = exchange(target)) return assignExchange(*array, as<Subscript>(target), op, operand, wants);
  Place place = placeOf(target);
  bool reads = op != AssignOp::Set || wants == Wants::Old;
  if (reads && hasEffects(place.index)) unsupported(target, "an index with effects in a compound assignment");
  const Expr *old = reads ? loadFrom(place, target->type) : nullptr;
  if (wants == Wants::Old) old = constant("old", old);
  const Expr *result = applied(op, old, value(operand), target->type);
  if (wants == Wants::New) result = constant("value", result);
  store(place, result, target->type);
  return wants == Wants::Old ? old : result;
}

const Expr *Lanes::assign(const Expr *target, AssignOp op, const Expr *operand, Wants wants) {
  const auto *v = dyn<VarRef>(target);
  if (!v) return assignMemory(target, op, operand, wants);
  if (!v->type.isScalar()) unsupported(target, fmt::format("an assignment of {}", v->type.text()));
  auto it = env_.find(v->name);
  if (it != env_.end() && it->second.kind == Binding::Kind::Vector) return assignVector(v, op, operand, wants);
  if (it != env_.end() && it->second.kind == Binding::Kind::Affine) return assignBase(v, op, operand);
  return assignShared(v, op, operand, wants);
}

const Expr *Lanes::increment(const Unary *e, Wants wants) {
  bool down = e->op == UnaryOp::PreDec || e->op == UnaryOp::PostDec;
  const Type &type = e->operand->type;
  if (!type.isScalar() || type.isBool()) unsupported(e, fmt::format("{} of a {}", symbol(e->op), type.text()));
  const Expr *one =
      type.isFloating() ? static_cast<const Expr *>(arena_.make<FloatLit>(here_, type, 1.0)) : b().integer(type, 1);
  return assign(e->operand, opposite(down), one, wants);
}

} // namespace tangram::lockstep
