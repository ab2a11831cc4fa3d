#include "Expressions.h"

#include "Indices.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"

#include <fmt/format.h>

namespace tangram::openmp {

using namespace ast;

namespace {

std::string lanesOf(const Type &type) { return std::to_string(type.lanes()); }

} // namespace

std::string VectorExpressions::type(const Type &type) {
  if (type.isVector()) usesVectors = true;
  return Expressions::type(type);
}

std::string VectorExpressions::address(const Expr *base, const Expr *index) {
  std::string pointer = print(base);
  if (!isa<VarRef>(base)) pointer = "(" + pointer + ")";
  if (const auto *literal = dyn<IntLit>(index)) {
    if (literal->value == 0) return pointer;
    return fmt::format("{} {} {}", pointer, literal->value < 0 ? '-' : '+', std::to_string(std::abs(literal->value)));
  }
  // base + (a - b) must not be read as (base + a) - b where base + a would be far outside.
  std::string at = print(index, Scalar::U64);
  bool plain = isa<VarRef>(index) || isa<Cast>(index) || isa<Subscript>(index) || isa<VectorLane>(index);
  return plain ? pointer + " + " + at : pointer + " + (" + at + ")";
}

c_family::Expressions::Text VectorExpressions::cast(const Cast *e, const Type &wanted) {
  const Type &from = e->operand->type, &to = e->type;
  if (!to.isVector()) return Expressions::cast(e, wanted);
  usesVectors = true;
  if (from == to) return at(e->operand, wanted);
  return {fmt::format("tangram::convert<{}>({})", to.element().cName(), print(e->operand))};
}

c_family::Expressions::Text VectorExpressions::call(const Call *e) {
  bool vectors = e->type.isVector() || (!e->args.empty() && e->args[0]->type.isVector());
  if (!vectors || functions.count(e->callee)) return Expressions::call(e);
  usesVectors = true;
  return {fmt::format("tangram::{}({})", e->callee, arguments(e))};
}

std::optional<VectorExpressions::Apart> VectorExpressions::apart(const Expr *base, const Expr *index) {
  if (base->type.element().isBool() || !index->type.isVector()) return {};
  const std::optional<Strided> found = strided(index, arena_);
  if (!found || found->step == 0 || found->each > 1 || (!found->stride && found->step == 1)) return {};
  const Build b(arena_, index->range);
  Apart result{address(base, found->first ? found->first : b.u64(0)), 0, {}};
  if (!found->stride && found->step > 0) {
    result.constant = found->step;
  } else {
    const Expr *step = b.integer(Scalar::I64, found->step);
    if (found->stride && found->step == 1)
      step = found->stride;
    else if (found->stride)
      step = b.mul(b.cast(Scalar::I64, found->stride), step);
    result.stride = print(step, Scalar::I64);
  }
  return result;
}

std::string VectorExpressions::elements(const Expr *base, const Expr *index) {
  if (const std::optional<Near> found = near(index, arena_))
    return fmt::format("{}, {}", address(base, found->first), print(found->lanes));
  return fmt::format("{}, {}", print(base), print(index));
}

c_family::Expressions::Text VectorExpressions::load(const VectorLoad *e) {
  std::string mask = e->mask ? ", " + print(e->mask) : "";
  const std::string lanes = lanesOf(e->type);
  if (const std::optional<Apart> found = apart(e->base, e->index)) {
    if (!found->constant)
      return {fmt::format("tangram::load_strided<{}>({}, {}{})", lanes, found->first, found->stride, mask)};
    const auto *base = dyn<VarRef>(e->base);
    auto field = base && !e->mask ? fields.find(base->name) : fields.end();
    if (field != fields.end() && field->second.structure == found->constant)
      return {fmt::format("tangram::load_field<{}, {}, {}>({})", lanes, found->constant, field->second.offset,
                          found->first)};
    return {fmt::format("tangram::load_apart<{}, {}>({}{})", lanes, found->constant, found->first, mask)};
  }
  if (const std::optional<Strided> found = e->index->type.isVector() ? strided(e->index, arena_) : std::nullopt;
      found && found->each > 1 && e->type.lanes() % found->each == 0 && found->step == 1 && !found->stride) {
    const Expr *first = found->first ? found->first : Build(arena_, e->range).u64(0);
    return {fmt::format("tangram::load_repeated<{}, {}>({}{})", lanes, found->each, address(e->base, first), mask)};
  }
  if (e->index->type.isVector()) return {fmt::format("tangram::gather({}{})", elements(e->base, e->index), mask)};
  return {fmt::format("tangram::load<{}>({}{})", lanes, address(e->base, e->index), mask)};
}

c_family::Expressions::Text VectorExpressions::select(const VectorSelect *e) {
  const auto *test = dyn<Binary>(e->mask);
  if (test && test->op == BinaryOp::Lt && !e->type.element().isBool()) {
    bool least = equal(test->lhs, e->then) && equal(test->rhs, e->otherwise);
    bool most = equal(test->lhs, e->otherwise) && equal(test->rhs, e->then);
    if (least || most) {
      // Which of two is given where neither is less matters for zeros and NaN: the first, as of std::min.
      const Expr *a = e->otherwise, *b = e->then;
      if (isa<Broadcast>(a) && e->type.element().isInteger()) std::swap(a, b);
      const auto *same = dyn<Broadcast>(b);
      return {fmt::format("tangram::{}({}, {})", least ? "min" : "max", print(a),
                          same ? print(same->operand, e->type.element()) : print(b))};
    }
  }
  // The first side says the type, the second converts to it.
  std::string otherwise = print(e->otherwise);
  if (const auto *same = dyn<Broadcast>(e->otherwise); same && !e->type.element().isBool())
    otherwise = print(same->operand, e->type.element());
  return {fmt::format("tangram::select({}, {}, {})", print(e->mask), print(e->then), otherwise)};
}

c_family::Expressions::Text VectorExpressions::reduce(const VectorReduce *e) {
  static constexpr std::string_view names[] = {"reduce_add", "reduce_min", "reduce_max", "any", "all", "first_lane"};
  return {fmt::format("tangram::{}({})", names[static_cast<std::size_t>(e->op)], print(e->operand))};
}

c_family::Expressions::Text VectorExpressions::other(const Expr *e, const Type &wanted) {
  if (const auto *n = dyn<Broadcast>(e))
    return {fmt::format("{}({})", type(e->type), print(n->operand, e->type.element()))};
  if (const auto *n = dyn<VectorLane>(e))
    return {fmt::format("{}[{}]", operand(n->operand, kPostfix, {}), print(n->lane, Scalar::U64))};
  usesVectors = true; // of the library that the others are calls of
  if (isa<LaneIndex>(e))
    return {fmt::format("tangram::lane_index<{}, {}>()", e->type.element().cName(), lanesOf(e->type))};
  if (const auto *n = dyn<VectorLoad>(e)) return load(n);
  if (const auto *n = dyn<VectorSelect>(e)) return select(n);
  if (const auto *n = dyn<VectorReduce>(e)) return reduce(n);
  if (const auto *n = dyn<Shuffle>(e))
    return {fmt::format("tangram::shuffle({}, {})", print(n->operand), print(n->lane))};
  return Expressions::other(e, wanted);
}

} // namespace tangram::openmp
