#include "ReferenceExpressions.h"

#include <fmt/format.h>

namespace tangram::openmp {

using namespace ast;

std::string ReferenceExpressions::type(const Type &type) {
  if (type.isFloating()) return fmt::format("tangram::reference::Real<{}>", type.cName());
  if (type.isPointer() && type.element().isFloating())
    return fmt::format("tangram::reference::Pointer<{}{}> ", type.toConst() ? "const " : "", type.element().cName());
  return VectorExpressions::type(type);
}

c_family::Expressions::Text ReferenceExpressions::cast(const Cast *e, const Type &wanted) {
  const Type &to = e->type, &from = e->operand->type;
  if (!to.isPointer() || !from.isPointer()) return VectorExpressions::cast(e, wanted);
  return {fmt::format("tangram::reference::pointer_cast<{}{}>({})", to.toConst() ? "const " : "", to.element().cName(),
                      print(e->operand))};
}

c_family::Expressions::Text ReferenceExpressions::call(const Call *e) {
  bool numbers = std::any_of(e->args.begin(), e->args.end(), [](const Expr *a) { return a->type.isFloating(); });
  if (!numbers || functions.count(e->callee)) return VectorExpressions::call(e);
  std::string args;
  for (const Expr *arg : e->args)
    args += (args.empty() ? "" : ", ") +
            (arg->type.isFloating() ? converted(arg->type, print(arg)) : operand(arg, kAssign, {}));
  return {fmt::format("tangram::reference::{}({})", e->callee, args)};
}

c_family::Expressions::Text ReferenceExpressions::assign(const Assign *e) {
  Text text = VectorExpressions::assign(e);
  if (!e->type.isFloating() || e->op != AssignOp::Set || !isa<Subscript>(e->target)) return text;
  return {fmt::format("{} = {}.settled()", operand(e->target, kPrefix, {}), converted(e->value->type, print(e->value))),
          kAssign};
}

std::string ReferenceExpressions::infinity(const Type &t) {
  usesLimits = true;
  return fmt::format("std::numeric_limits<{}>::infinity()", t.cName());
}

std::string ReferenceExpressions::notANumber(const Type &t) {
  usesLimits = true;
  return fmt::format("std::numeric_limits<{}>::quiet_NaN()", t.cName());
}

} // namespace tangram::openmp
