#include "Conditions.h"

#include "tangram/ast/Casts.h"

#include <algorithm>
#include <cmath>

namespace tangram::runtime {

using namespace ast;

namespace {
/// What a comparison says; nothing for other operators.
template <class T> std::optional<std::int64_t> comparison(BinaryOp op, T a, T b) {
  switch (op) {
  case BinaryOp::Eq: return a == b;
  case BinaryOp::Ne: return a != b;
  case BinaryOp::Lt: return a < b;
  case BinaryOp::Le: return a <= b;
  case BinaryOp::Gt: return a > b;
  case BinaryOp::Ge: return a >= b;
  default: return std::nullopt;
  }
}
} // namespace

Conditions::Conditions(const Spectrum &spectrum, const Shape &shape) : spectrum_(spectrum), shape_(shape) {
  for (const Expr *condition : spectrum.conditions) split(condition);
}

void Conditions::split(const Expr *condition) {
  const Binary *n = dyn<Binary>(withoutCasts(condition));
  if (n && n->op == BinaryOp::LogicalAnd) {
    split(n->lhs);
    split(n->rhs);
  } else {
    conditions_.push_back(condition);
  }
}

std::optional<std::size_t> Conditions::param(const std::string &name) const {
  for (std::size_t i = 0; i < spectrum_.params.size(); ++i)
    if (spectrum_.params[i]->name == name) return i;
  return std::nullopt;
}

std::optional<std::int64_t> Conditions::sizeOf(const Size &size) const {
  const VarRef *ref = dyn<VarRef>(size.container);
  std::optional<std::size_t> i = ref ? param(ref->name) : std::nullopt;
  if (!i) return std::nullopt;
  const std::vector<std::uint64_t> &sizes = shape_.arguments[*i].sizes;
  if (sizes.empty()) return std::nullopt; // not known yet
  if (!size.dim) {
    std::uint64_t all = 1;
    for (std::uint64_t s : sizes) all *= s;
    return static_cast<std::int64_t>(all);
  }
  std::optional<std::int64_t> d = value(size.dim);
  if (!d || *d < 0 || static_cast<std::size_t>(*d) >= sizes.size()) return std::nullopt;
  return static_cast<std::int64_t>(sizes[static_cast<std::size_t>(*d)]);
}

std::optional<std::int64_t> Conditions::binary(const Binary &n) const {
  if (n.lhs->type.isFloating() || n.rhs->type.isFloating()) return compared(n);
  std::optional<std::int64_t> a = value(n.lhs), b = value(n.rhs);
  if (n.op == BinaryOp::LogicalAnd && ((a && !*a) || (b && !*b))) return 0;
  if (n.op == BinaryOp::LogicalOr && ((a && *a) || (b && *b))) return 1;
  if (!a || !b) return std::nullopt;
  std::int64_t result = 0;
  switch (n.op) {
  case BinaryOp::Add: return __builtin_add_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
  case BinaryOp::Sub: return __builtin_sub_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
  case BinaryOp::Mul: return __builtin_mul_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
  case BinaryOp::Div: return *b == 0 || *b == -1 ? std::nullopt : std::optional(*a / *b);
  case BinaryOp::Rem: return *b == 0 || *b == -1 ? std::nullopt : std::optional(*a % *b);
  case BinaryOp::Shl:
    return *b < 0 || *b > 62 || *a < 0 || *a > (INT64_MAX >> *b) ? std::nullopt : std::optional(*a << *b);
  case BinaryOp::Shr: return *b < 0 || *b > 62 ? std::nullopt : std::optional(*a >> *b);
  case BinaryOp::And: return *a & *b;
  case BinaryOp::Or: return *a | *b;
  case BinaryOp::Xor: return *a ^ *b;
  case BinaryOp::LogicalAnd: return *a && *b;
  case BinaryOp::LogicalOr: return *a || *b;
  case BinaryOp::Eq:
  case BinaryOp::Ne:
  case BinaryOp::Lt:
  case BinaryOp::Le:
  case BinaryOp::Gt:
  case BinaryOp::Ge: return comparison(n.op, *a, *b);
  case BinaryOp::Comma: return b;
  }
  return std::nullopt;
}

std::optional<std::int64_t> Conditions::value(const Expr *e) const {
  while (const Cast *cast = dyn<Cast>(e)) {
    if (cast->operand->type.isFloating() && !cast->type.isFloating()) {
      const std::optional<double> v = real(cast->operand);
      if (cast->type.isBool()) return v ? std::optional<std::int64_t>(*v != 0) : std::nullopt;
      return v && std::fabs(*v) < 0x1p62 ? std::optional(static_cast<std::int64_t>(*v)) : std::nullopt;
    }
    e = cast->operand;
  }
  if (const IntLit *n = dyn<IntLit>(e)) return n->value;
  if (const VarRef *ref = dyn<VarRef>(e)) {
    std::optional<std::size_t> i = param(ref->name);
    return i ? shape_.arguments[*i].scalar : std::nullopt;
  }
  if (const Size *size = dyn<Size>(e)) return sizeOf(*size);
  if (const Unary *n = dyn<Unary>(e)) {
    std::optional<std::int64_t> v = value(n->operand);
    if (!v) return v;
    switch (n->op) {
    case UnaryOp::Plus: return v;
    case UnaryOp::Minus: return static_cast<std::int64_t>(-static_cast<std::uint64_t>(*v));
    case UnaryOp::Not: return !*v;
    case UnaryOp::BitNot: return ~*v;
    default: return std::nullopt;
    }
  }
  if (const Conditional *n = dyn<Conditional>(e)) {
    std::optional<std::int64_t> v = value(n->cond);
    return v ? value(*v ? n->then : n->otherwise) : v;
  }
  if (const Binary *n = dyn<Binary>(e)) return binary(*n);
  return std::nullopt;
}

const Expr *Conditions::firstBroken() const {
  for (const Expr *condition : conditions_)
    if (value(condition) == std::optional<std::int64_t>(0)) return condition;
  return nullptr;
}
std::size_t Conditions::countBroken() const {
  return static_cast<std::size_t>(std::count_if(conditions_.begin(), conditions_.end(), [&](const Expr *c) {
    return value(c) == std::optional<std::int64_t>(0);
  }));
}

std::optional<std::int64_t> Conditions::compared(const Binary &n) const {
  if (n.op == BinaryOp::LogicalAnd || n.op == BinaryOp::LogicalOr) return std::nullopt;
  const std::optional<double> a = real(n.lhs), b = real(n.rhs);
  return a && b ? comparison(n.op, *a, *b) : std::nullopt;
}

std::optional<double> Conditions::real(const Expr *e) const {
  if (!e->type.isFloating()) {
    const std::optional<std::int64_t> v = value(e);
    return v ? std::optional(static_cast<double>(*v)) : std::nullopt;
  }
  if (const Cast *cast = dyn<Cast>(e)) return real(cast->operand);
  if (const FloatLit *n = dyn<FloatLit>(e)) return n->value;
  if (const VarRef *ref = dyn<VarRef>(e)) {
    const std::optional<std::size_t> i = param(ref->name);
    return i ? shape_.arguments[*i].real : std::nullopt;
  }
  if (const Unary *n = dyn<Unary>(e)) {
    const std::optional<double> v = real(n->operand);
    if (v && n->op == UnaryOp::Minus) return -*v;
    return n->op == UnaryOp::Plus ? v : std::nullopt;
  }
  if (const Conditional *n = dyn<Conditional>(e)) {
    const std::optional<std::int64_t> v = value(n->cond);
    return v ? real(*v ? n->then : n->otherwise) : std::nullopt;
  }
  const Binary *n = dyn<Binary>(e);
  if (!n) return std::nullopt;
  const std::optional<double> a = real(n->lhs), b = real(n->rhs);
  if (!a || !b) return std::nullopt;
  switch (n->op) {
  case BinaryOp::Add: return *a + *b;
  case BinaryOp::Sub: return *a - *b;
  case BinaryOp::Mul: return *a * *b;
  case BinaryOp::Div: return *a / *b;
  default: return std::nullopt;
  }
}

} // namespace tangram::runtime
