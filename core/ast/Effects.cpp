#include "tangram/ast/Effects.h"

#include "tangram/ast/Builtins.h"
#include "tangram/ast/Walk.h"

namespace tangram::ast {
namespace {

bool writesOperand(UnaryOp op) {
  return op == UnaryOp::PreInc || op == UnaryOp::PreDec || op == UnaryOp::PostInc || op == UnaryOp::PostDec;
}

} // namespace

bool hasEffects(const Expr *expr) {
  return any<Expr>(expr, [](const Expr &e) {
    if (const auto *unary = dyn<Unary>(&e)) return writesOperand(unary->op);
    if (const auto *call = dyn<Call>(&e)) return !isMathFunction(call->callee);
    return isa<Assign>(&e) || isa<Atomic>(&e) || isa<SpectrumCall>(&e) || isa<Map>(&e);
  });
}

const VarRef *rootVariable(const Expr *place) {
  while (place) {
    if (const auto *variable = dyn<VarRef>(place)) return variable;
    if (const auto *member = dyn<Member>(place))
      place = member->base;
    else if (const auto *subscript = dyn<Subscript>(place))
      place = subscript->base;
    else
      return nullptr;
  }
  return nullptr;
}

std::set<std::string> assignedVariables(const Node *tree) {
  std::set<std::string> names;
  auto change = [&](const Expr *place) {
    while (const auto *member = dyn<Member>(place)) place = member->base;
    if (const auto *variable = dyn<VarRef>(place)) names.insert(variable->name);
  };
  walk(
      tree, [&](const Assign &n) { change(n.target); }, [&](const Atomic &n) { change(n.target); },
      [&](const Unary &n) {
        if (writesOperand(n.op) || n.op == UnaryOp::AddressOf) change(n.operand);
      },
      [&](const SpectrumCall &n) {
        if (!n.codelet) return;
        for (std::size_t i = 0; i < n.args.size() && i < n.codelet->params.size(); ++i) {
          const Param *param = n.codelet->params[i];
          if (param->access != Access::In && !param->type.isArray()) change(n.args[i]);
        }
      });
  return names;
}

} // namespace tangram::ast
