#include "Fields.h"
#include "Indices.h"

#include "tangram/ast/Casts.h"
#include "tangram/ast/Structs.h"
#include "tangram/ast/Walk.h"

namespace tangram::openmp {

using namespace ast;

namespace {

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
      const auto *array = dyn<VarRef>(cast->operand);
      result[d.name] = {static_cast<Int>(bytes / field.bytes()), *offset, array ? array->name : d.name};
    } else if (const auto *v = dyn<VarRef>(base)) {
      auto known = result.find(v->name);
      if (known != result.end() && (!more || multiple(more) % known->second.structure == 0))
        result[d.name] = {known->second.structure, known->second.offset, d.name};
    }
  });
  return result;
}

} // namespace tangram::openmp
