#include "Flattener.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Kinds.h"

#include <algorithm>

namespace tangram::flatten {

using namespace ast;

namespace {
constexpr DiagnosticKind kNever{"flatten.requirement", DiagnosticClass::User,
                                "this call of '{}' can never satisfy what its declaration requires",
                                "pass what the __requires of the spectrum asks for"};
} // namespace

const Expr *Flattener::overParameters(const Expr *e) const {
  switch (exprKind(*e)) {
  case ExprKind::IntLit: return e;
  case ExprKind::VarRef: {
    const std::string &name = as<VarRef>(e)->name;
    if (parameters_.count(name)) return e;
    auto known = constants_.find(name);
    return known == constants_.end() ? nullptr : overParameters(known->second);
  }
  case ExprKind::Size: return parameters_.count(as<VarRef>(as<Size>(e)->container)->name) ? e : nullptr;
  case ExprKind::Cast: {
    const Expr *operand = overParameters(as<Cast>(e)->operand);
    return operand ? b().cast(e->type, operand) : nullptr;
  }
  case ExprKind::Binary: {
    const auto *binary = as<Binary>(e);
    const Expr *lhs = overParameters(binary->lhs), *rhs = overParameters(binary->rhs);
    return lhs && rhs ? b().binary(binary->op, lhs, rhs) : nullptr;
  }
  case ExprKind::Conditional: {
    const auto *c = as<Conditional>(e);
    const Expr *cond = overParameters(c->cond), *then = overParameters(c->then), *other = overParameters(c->otherwise);
    return cond && then && other ? b().select(cond, then, other) : nullptr;
  }
  case ExprKind::FloatLit:
  case ExprKind::Unary:
  case ExprKind::Assign:
  case ExprKind::Call:
  case ExprKind::Subscript:
  case ExprKind::Member:
  case ExprKind::InitList:
  case ExprKind::Pitch:
  case ExprKind::CoopIdx:
  case ExprKind::CoopDim:
  case ExprKind::Atomic:
  case TANGRAM_LANGUAGE_EXPRS:
  case TANGRAM_DEVICE_EXPRS:
  case TANGRAM_CHECKED_EXPRS:
  case TANGRAM_VECTOR_EXPRS: break;
  }
  return nullptr;
}

bool Flattener::require(const Expr *condition) {
  const Expr *known = reached_ ? overParameters(condition) : nullptr;
  if (!known) return false;
  known = b().binary(BinaryOp::LogicalOr, b().logicalNot(reached_), known);
  auto same = [&](const Expr *other) { return equal(other, known); };
  if (!isLiteral(known, 1) && std::none_of(conditions_.begin(), conditions_.end(), same)) conditions_.push_back(known);
  return true;
}

void Flattener::requireDeclared(const SpectrumCall *call, const std::vector<Argument> &args) {
  if (!reached_) return;
  for (const Spectrum *spectrum : module_.spectrums) {
    if (spectrum->name != call->spectrum || spectrum->conditions.empty()) continue;
    if (spectrum->params.size() != args.size()) continue; // of another module than the call
    Scope scope;
    for (std::size_t i = 0; i < args.size(); ++i) {
      std::shared_ptr<Container> c;
      if (!args[i].value) c = std::make_shared<Container>(args[i].container);
      scope.bindings[spectrum->params[i]->name] = {args[i].value, std::move(c)};
    }
    Enter enter(*this, scope, level_);
    for (const Expr *condition : spectrum->conditions) {
      const Expr *here = b().cast(Scalar::Bool, renamed(condition));
      if (isLiteral(here, 0)) fail(kNever, call->range, call->spectrum);
      require(here);
    }
  }
}

} // namespace tangram::flatten
