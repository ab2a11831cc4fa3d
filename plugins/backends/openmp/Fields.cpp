#include "Fields.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Structs.h"
#include "tangram/ast/Walk.h"

namespace tangram::openmp {

using namespace ast;

namespace {

constexpr Int kFarthest = 1 << 20;

const Expr *withoutCasts(const Expr *e) {
  while (const auto *cast = dyn<Cast>(e)) e = cast->operand;
  return e;
}

std::optional<Int> number(const Expr *e) {
  const auto *n = dyn<IntLit>(withoutCasts(e));
  return n ? std::optional(n->value) : std::nullopt;
}

/// A number that the value is a multiple of; 0: of all, it is 0.
Int multiple(const Expr *e) {
  e = withoutCasts(e);
  if (std::optional<Int> n = number(e)) return *n;
  const auto *product = dyn<Binary>(e);
  if (!product || product->op != BinaryOp::Mul) return 1;
  return number(product->lhs).value_or(number(product->rhs).value_or(1));
}

} // namespace

std::map<std::string, Field> fieldPointers(const Block &body, const Module &module) {
  const Structs structs(module);
  std::map<std::string, Field> result;
  if (structs.empty()) return result;
  walk(&body, [&](const Declare &d) {
    if (!d.type.isPointer() || !d.init || !d.isConst) return;
    const Type field = d.type.element();
    const Expr *base = d.init, *more = nullptr;
    if (const auto *sum = dyn<Binary>(base); sum && sum->op == BinaryOp::Add) base = sum->lhs, more = sum->rhs;
    if (const auto *cast = dyn<Cast>(base)) {
      const Type from = cast->operand->type;
      if (!from.isPointer() || !structs.find(from.element())) return;
      const std::uint64_t bytes = structs.bytes(from.element());
      const std::optional<Int> offset = more ? number(more) : 0;
      if (field.isStruct() || bytes % field.bytes() != 0 || !offset || *offset < 0) return;
      result[d.name] = {static_cast<Int>(bytes / field.bytes()), *offset};
    } else if (const auto *v = dyn<VarRef>(base)) {
      auto known = result.find(v->name);
      if (known != result.end() && (!more || multiple(more) % known->second.structure == 0))
        result[d.name] = known->second;
    }
  });
  return result;
}

std::optional<Strided> strided(const Expr *index, Arena &arena) {
  if (!(index->type.element() == Type(Scalar::U64))) return {};
  if (isa<LaneIndex>(index)) return Strided{nullptr, 1};
  const Build b(arena, index->range);
  if (const auto *same = dyn<Broadcast>(index)) return Strided{b.cast(Scalar::U64, same->operand), 0};
  const auto *n = dyn<Binary>(index);
  if (!n || (n->op != BinaryOp::Add && n->op != BinaryOp::Mul)) return {};
  std::optional<Strided> x = strided(n->lhs, arena), y = strided(n->rhs, arena);
  if (!x || !y) return {};
  if (n->op == BinaryOp::Add)
    return Strided{x->first && y->first ? b.add(x->first, y->first)
                   : x->first           ? x->first
                                        : y->first,
                   x->step + y->step};
  if (x->step == 0) std::swap(x, y);
  const std::optional<Int> by = y->step == 0 && y->first ? number(y->first) : std::nullopt;
  if (!by || *by < 0 || *by > kFarthest || x->step > kFarthest) return {};
  return Strided{x->first ? b.mul(x->first, b.u64(static_cast<std::uint64_t>(*by))) : nullptr, x->step * *by};
}

} // namespace tangram::openmp
