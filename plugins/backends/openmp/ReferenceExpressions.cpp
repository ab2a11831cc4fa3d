#include "ReferenceExpressions.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"

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

std::string ReferenceExpressions::oneOfBoth(const Expr *cond, const Expr *then, const Expr *otherwise) {
  const auto *test = dyn<Binary>(cond);
  if (!test || !then->type.isFloating() || hasEffects(test)) return {};
  const bool first = equal(test->lhs, then);
  if (!first && !equal(test->lhs, otherwise)) return {};
  if (!equal(test->rhs, first ? otherwise : then)) return {};
  const char *compare = nullptr;
  if (test->op == BinaryOp::Lt) compare = "less";
  if (test->op == BinaryOp::Le) compare = "less_equal";
  if (test->op == BinaryOp::Gt) compare = "greater";
  if (test->op == BinaryOp::Ge) compare = "greater_equal";
  if (!compare) return {};
  const auto number = [&](const Expr *e) { return converted(e->type, print(e)); };
  return fmt::format("tangram::reference::oneOf<std::{}<>, {}>({}, {})", compare, first, number(test->lhs),
                     number(test->rhs));
}

c_family::Expressions::Text ReferenceExpressions::choice(const Conditional *e, const Type &wanted) {
  if (std::string number = oneOfBoth(e->cond, e->then, e->otherwise); !number.empty()) return {number};
  return VectorExpressions::choice(e, wanted);
}

/// `if (most < x) most = x;`
std::optional<std::string> ReferenceExpressions::update(const If &node) {
  if (node.then->stmts.size() != 1 || (node.otherwise && !node.otherwise->stmts.empty())) return std::nullopt;
  const auto *only = dyn<Evaluate>(node.then->stmts[0]);
  const auto *set = only ? dyn<Assign>(only->expr) : nullptr;
  if (!set || set->op != AssignOp::Set) return std::nullopt;
  const std::string number = oneOfBoth(node.cond, set->value, set->target);
  if (number.empty()) return std::nullopt;
  return fmt::format("{} = {}{}", operand(set->target, kPrefix, {}), number,
                     isa<Subscript>(set->target) ? ".settled()" : "");
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
