// What languages spell differently, as C++ spells it.
#include "tangram/c-family/Expressions.h"

#include "tangram/ast/Builtins.h"
#include "tangram/diag/Diagnostic.h"

namespace tangram::c_family {

using namespace ast;

std::string Expressions::type(const Type &type) { return type.cName(); }

std::string Expressions::converted(const Type &to, const std::string &text) { return type(to) + "(" + text + ")"; }

std::string Expressions::boolean(bool value) { return value ? "true" : "false"; }

std::string Expressions::least(const Type &t) {
  usesLimits = true;
  return fmt::format("std::numeric_limits<{}>::min()", type(t));
}

std::string Expressions::most64() { return "SIZE_MAX"; }

Expressions::Text Expressions::typedLiteral(const Type &t, const std::string &digits, bool wide) {
  return {fmt::format("{}({}{})", type(t), digits, !wide ? "" : t.isSigned() ? "ll" : "ull")};
}

std::string Expressions::infinity(const Type &t) {
  usesLimits = true;
  return fmt::format("std::numeric_limits<{}>::infinity()", type(t));
}

std::string Expressions::notANumber(const Type &t) {
  usesLimits = true;
  return fmt::format("std::numeric_limits<{}>::quiet_NaN()", type(t));
}

Expressions::Text Expressions::extremum(bool minimum, const Expr *a, const Expr *b, const Type &t) {
  usesAlgorithm = true;
  return {fmt::format("std::{}<{}>({}, {})", minimum ? "min" : "max", type(t), print(a, t), print(b, t))};
}

Expressions::Text Expressions::cast(const Cast *e, const Type &wanted) {
  const Type &from = e->operand->type, &to = e->type;
  if (to.isVoid()) return {"(void)" + operand(e->operand, kPrefix, {}), kPrefix};
  // An unsigned value widens by itself to what stands beside it.
  bool widens = wanted == to && to.isInteger() && !to.isBool() && from.isInteger() && from.bytes() < to.bytes() &&
                (!from.isSigned() || to.isSigned()) && to.bytes() >= 4;
  if (widens) return at(e->operand, {});
  if (to.isPointer()) {
    bool other = from.isPointer() && !(from.element() == to.element());
    return {fmt::format("{}<{}>({})", other ? "reinterpret_cast" : "static_cast", type(to), print(e->operand))};
  }
  return {converted(to, print(e->operand, to == from ? to : Type()))};
}

Expressions::Text Expressions::call(const Call *e) {
  if (functions.count(e->callee)) return {fmt::format("{}({})", e->callee, arguments(e))};
  (isHalfConversion(e->callee) ? usesHalf : usesMath) = true;
  // std:: has the forms for float and double that C spells with an f, and no macro.
  bool classify = e->callee.starts_with("is");
  return {fmt::format("{}{}({})", classify ? "std::" : "::", e->callee, arguments(e))};
}

Expressions::Text Expressions::atomic(const Atomic *e) {
  static constexpr std::string_view names[] = {
      "add", "sub", "min", "max", "bit_and", "bit_or", "bit_xor", "exchange", "compare_exchange"};
  usesAtomics = true;
  std::string args = "&" + operand(e->target, kPrefix, {});
  for (const Expr *value : e->operands) args += ", " + operand(value, kAssign, e->target->type);
  return {fmt::format("tangram_atomic::{}({})", names[static_cast<std::size_t>(e->op)], args)};
}

Expressions::Text Expressions::initList(const InitList *e) {
  std::string text;
  for (const Expr *value : e->values) text += (text.empty() ? "" : ", ") + operand(value, kAssign, value->type);
  return {"{" + text + "}"};
}

Expressions::Text Expressions::other(const Expr *e, const Type &) { fail(kLanguageNode, e->range, name(e->kind())); }

} // namespace tangram::c_family
