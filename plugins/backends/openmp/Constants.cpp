#include "Constants.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

namespace tangram::openmp {

using namespace ast;

Constants::Constants(const Kernel &kernel) : assigned_(assignedVariables(kernel.body)) {
  for (std::size_t i = 0; i < kernel.constants.size() && i < kernel.defaults.size(); ++i)
    defaults_[kernel.constants[i]->name] = kernel.defaults[i];
  walk(kernel.body, [&](const Declare &d) {
    if (d.init && d.extents.empty() && !assigned_.count(d.name)) initialisers_[d.name] = d.init;
  });
}

const Expr *Constants::initialiser(const std::string &variable) const {
  auto it = initialisers_.find(variable);
  return it == initialisers_.end() ? nullptr : it->second;
}

bool Constants::isConstantExpression(const Expr *e) const {
  if (!e->type.isScalar()) return false;
  switch (e->kind()) {
  case Kind::IntLit:
  case Kind::FloatLit: return true;
  case Kind::VarRef: {
    if (!e->type.isInteger()) return false;
    if (defaults_.count(as<VarRef>(e)->name)) return true;
    const Expr *init = initialiser(as<VarRef>(e)->name);
    return init && isConstantExpression(init);
  }
  case Kind::Cast: return isConstantExpression(as<Cast>(e)->operand);
  case Kind::Unary: {
    UnaryOp op = as<Unary>(e)->op;
    bool plain = op == UnaryOp::Plus || op == UnaryOp::Minus || op == UnaryOp::Not || op == UnaryOp::BitNot;
    return plain && isConstantExpression(as<Unary>(e)->operand);
  }
  case Kind::Binary: {
    const auto *b = as<Binary>(e);
    // What overflows, divides by zero or shifts too far is no constant expression.
    return isConstantExpression(b->lhs) && isConstantExpression(b->rhs) && value(e);
  }
  case Kind::Conditional: {
    const auto *c = as<Conditional>(e);
    return isConstantExpression(c->cond) && isConstantExpression(c->then) && isConstantExpression(c->otherwise);
  }
  default: return false;
  }
}

std::optional<std::int64_t> Constants::value(const Expr *e) const {
  if (!e->type.isInteger()) return {};
  Arena scratch;
  Build build(scratch);
  switch (e->kind()) {
  case Kind::IntLit: return as<IntLit>(e)->value;
  case Kind::VarRef: {
    auto constant = defaults_.find(as<VarRef>(e)->name);
    if (constant != defaults_.end()) return value(constant->second);
    const Expr *init = initialiser(as<VarRef>(e)->name);
    return init ? value(init) : std::nullopt;
  }
  case Kind::Cast: {
    std::optional<Int> operand = value(as<Cast>(e)->operand);
    if (!operand) return {};
    return literal(build.cast(e->type, build.integer(as<Cast>(e)->operand->type, *operand)));
  }
  case Kind::Binary: {
    const auto *b = as<Binary>(e);
    std::optional<Int> lhs = value(b->lhs), rhs = value(b->rhs);
    if (!lhs || !rhs) return {};
    return literal(build.binary(b->op, build.integer(b->lhs->type, *lhs), build.integer(b->rhs->type, *rhs)));
  }
  case Kind::Conditional: {
    const auto *c = as<Conditional>(e);
    std::optional<Int> cond = value(c->cond);
    if (!cond) return {};
    return value(*cond ? c->then : c->otherwise);
  }
  default: return {};
  }
}

} // namespace tangram::openmp
