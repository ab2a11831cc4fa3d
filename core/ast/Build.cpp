#include "tangram/ast/Build.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"

#include <limits>

namespace tangram::ast {
namespace {

Int wrap(const Type &type, Int value) {
  if (type.isBool()) return value != 0;
  unsigned bits = 8 * type.bytes();
  if (bits == 0 || bits >= 64) return value;
  std::uint64_t kept = static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << bits) - 1);
  bool negative = type.isSigned() && (kept >> (bits - 1));
  return static_cast<Int>(negative ? kept | ~((std::uint64_t{1} << bits) - 1) : kept);
}

std::optional<Int> foldSigned(BinaryOp op, const Type &type, Int a, Int b) {
  Int value = 0;
  switch (op) {
  case BinaryOp::Add:
    if (__builtin_add_overflow(a, b, &value)) return {};
    break;
  case BinaryOp::Sub:
    if (__builtin_sub_overflow(a, b, &value)) return {};
    break;
  case BinaryOp::Mul:
    if (__builtin_mul_overflow(a, b, &value)) return {};
    break;
  case BinaryOp::Div:
  case BinaryOp::Rem:
    if (b == 0 || (b == -1 && a == std::numeric_limits<Int>::min())) return {};
    value = op == BinaryOp::Div ? a / b : a % b;
    break;
  case BinaryOp::And: value = a & b; break;
  case BinaryOp::Or: value = a | b; break;
  case BinaryOp::Xor: value = a ^ b; break;
  case BinaryOp::Eq: return a == b;
  case BinaryOp::Ne: return a != b;
  case BinaryOp::Lt: return a < b;
  case BinaryOp::Le: return a <= b;
  case BinaryOp::Gt: return a > b;
  case BinaryOp::Ge: return a >= b;
  default: return {};
  }
  if (wrap(type, value) != value) return {};
  return value;
}

std::optional<Int> foldUnsigned(BinaryOp op, const Type &type, Int lhs, Int rhs) {
  auto a = static_cast<std::uint64_t>(lhs), b = static_cast<std::uint64_t>(rhs);
  switch (op) {
  case BinaryOp::Add: return wrap(type, static_cast<Int>(a + b));
  case BinaryOp::Sub: return wrap(type, static_cast<Int>(a - b));
  case BinaryOp::Mul: return wrap(type, static_cast<Int>(a * b));
  case BinaryOp::Div: return b ? std::optional<Int>(static_cast<Int>(a / b)) : std::nullopt;
  case BinaryOp::Rem: return b ? std::optional<Int>(static_cast<Int>(a % b)) : std::nullopt;
  case BinaryOp::And: return static_cast<Int>(a & b);
  case BinaryOp::Or: return static_cast<Int>(a | b);
  case BinaryOp::Xor: return static_cast<Int>(a ^ b);
  case BinaryOp::Eq: return a == b;
  case BinaryOp::Ne: return a != b;
  case BinaryOp::Lt: return a < b;
  case BinaryOp::Le: return a <= b;
  case BinaryOp::Gt: return a > b;
  case BinaryOp::Ge: return a >= b;
  default: return {};
  }
}

} // namespace

std::optional<Int> literal(const Expr *expr) {
  if (const auto *lit = dyn<IntLit>(expr)) return lit->value;
  return {};
}

bool isLiteral(const Expr *expr, Int value) { return literal(expr) == value; }

const Expr *Build::integer(Type type, Int value) const {
  Int wrapped = wrap(type, value);
  return arena_.make<IntLit>(range_, std::move(type), wrapped);
}

const Expr *Build::zero(const Type &type) const {
  if (type.isFloating()) return arena_.make<FloatLit>(range_, type, 0.0);
  if (type.isInteger()) return integer(type, 0);
  if (type.isStruct()) return arena_.make<InitList>(range_, type, std::vector<const Expr *>{});
  return nullptr;
}

const Expr *Build::var(const std::string &name, const Type &type) const {
  return arena_.make<VarRef>(range_, type, name);
}

const Expr *Build::cast(const Type &type, const Expr *operand) const {
  if (operand->type == type) return operand;
  if (std::optional<Int> value = literal(operand)) {
    if (type.isInteger()) return integer(type, *value);
    const Int most = Int{1} << (type.isHalf() ? 8 : 24);
    bool exact = *value >= -most && *value <= most && operand->type.isSigned();
    if (type.isFloating() && exact) return arena_.make<FloatLit>(range_, type, static_cast<double>(*value));
  }
  // What a detour through a wider integer does, the direct way does too.
  if (const auto *inner = dyn<Cast>(operand)) {
    const Type &from = inner->operand->type, &over = inner->type;
    bool integers = type.isInteger() && over.isInteger() && from.isInteger() && !type.isBool() && !over.isBool();
    if (integers && over.bytes() >= type.bytes() && over.bytes() >= from.bytes()) return cast(type, inner->operand);
    if (integers && inner->exact == Flag::Yes && from.bytes() == type.bytes()) return cast(type, inner->operand);
  }
  return arena_.make<Cast>(range_, type, operand);
}

const Expr *Build::exactCast(const Type &type, const Expr *operand) const {
  const Expr *result = cast(type, operand);
  const auto *made = dyn<Cast>(result);
  return made ? arena_.derive(made, [](Cast &copy) { copy.exact = Flag::Yes; }) : result;
}

namespace {
/// What a comparison of such operands always is: of one with itself, of an unsigned one with 0.
std::optional<bool> always(BinaryOp op, const Expr *lhs, const Expr *rhs) {
  if (hasEffects(lhs) || hasEffects(rhs)) return std::nullopt;
  bool orEqual = op == BinaryOp::Le || op == BinaryOp::Ge || op == BinaryOp::Eq;
  if (equal(lhs, rhs)) return orEqual;
  if (lhs->type.isSigned() || rhs->type.isSigned()) return std::nullopt;
  if ((op == BinaryOp::Lt || op == BinaryOp::Ge) && isLiteral(rhs, 0)) return orEqual;
  if ((op == BinaryOp::Gt || op == BinaryOp::Le) && isLiteral(lhs, 0)) return orEqual;
  return std::nullopt;
}
} // namespace

const Expr *Build::identity(BinaryOp op, const Expr *lhs, const Expr *rhs) const {
  if (!lhs->type.isInteger() && !(lhs->type.isPointer() && op == BinaryOp::Add)) return nullptr;
  switch (op) {
  case BinaryOp::Add:
    if (isLiteral(rhs, 0)) return lhs;
    if (isLiteral(lhs, 0)) return rhs;
    return nullptr;
  case BinaryOp::Sub:
    if (isLiteral(rhs, 0)) return lhs;
    if (ast::equal(lhs, rhs) && !hasEffects(lhs)) return integer(lhs->type, 0);
    return nullptr;
  case BinaryOp::Mul:
    if (isLiteral(rhs, 1)) return lhs;
    if (isLiteral(lhs, 1)) return rhs;
    if (isLiteral(rhs, 0) && !hasEffects(lhs)) return rhs;
    if (isLiteral(lhs, 0) && !hasEffects(rhs)) return lhs;
    return nullptr;
  case BinaryOp::Div: return isLiteral(rhs, 1) ? lhs : nullptr;
  case BinaryOp::Rem: return isLiteral(rhs, 1) && !hasEffects(lhs) ? integer(lhs->type, 0) : nullptr;
  case BinaryOp::LogicalAnd:
  case BinaryOp::LogicalOr: {
    // A literal on the left decides, or leaves the right side; one on the right decides only what has no effects.
    bool decides = op == BinaryOp::LogicalOr;
    if (std::optional<Int> l = literal(lhs)) return (*l != 0) == decides ? lhs : rhs;
    if (std::optional<Int> r = literal(rhs)) {
      if ((*r != 0) != decides) return lhs;
      if (!hasEffects(lhs)) return rhs;
    }
    return nullptr;
  }
  case BinaryOp::Lt:
  case BinaryOp::Gt:
  case BinaryOp::Ne:
  case BinaryOp::Le:
  case BinaryOp::Ge:
  case BinaryOp::Eq: {
    std::optional<bool> known = always(op, lhs, rhs);
    return known ? boolean(*known) : nullptr;
  }
  default: return nullptr;
  }
}

const Expr *Build::binary(BinaryOp op, const Expr *lhs, const Expr *rhs) const {
  bool logic = op == BinaryOp::LogicalAnd || op == BinaryOp::LogicalOr;
  Type type = isComparison(op) || logic ? Type(Scalar::Bool) : op == BinaryOp::Comma ? rhs->type : lhs->type;
  std::optional<Int> a = literal(lhs), b = literal(rhs);
  if (a && b && lhs->type == rhs->type) {
    std::optional<Int> value =
        lhs->type.isSigned() ? foldSigned(op, lhs->type, *a, *b) : foldUnsigned(op, lhs->type, *a, *b);
    if (value) return integer(type, *value);
  }
  if (const Expr *simpler = identity(op, lhs, rhs))
    if (simpler->type == type) return simpler;
  return arena_.make<Binary>(range_, type, op, lhs, rhs);
}

const Expr *Build::logicalNot(const Expr *operand) const {
  if (std::optional<Int> value = literal(operand)) return boolean(*value == 0);
  if (const auto *inner = dyn<Unary>(operand); inner && inner->op == UnaryOp::Not && inner->operand->type.isBool())
    return inner->operand;
  return arena_.make<Unary>(range_, Type(Scalar::Bool), UnaryOp::Not, operand);
}

const Expr *Build::select(const Expr *cond, const Expr *then, const Expr *otherwise) const {
  if (std::optional<Int> value = literal(cond)) return *value ? then : otherwise;
  if (ast::equal(then, otherwise) && !hasEffects(cond)) return then;
  return arena_.make<Conditional>(range_, then->type, cond, then, otherwise);
}

const Expr *Build::min(const Expr *a, const Expr *b) const { return select(less(a, b), a, b); }
const Expr *Build::max(const Expr *a, const Expr *b) const { return select(less(a, b), b, a); }

const Expr *Build::element(const Expr *base, std::vector<const Expr *> indices, const Type &type) const {
  return arena_.make<Subscript>(range_, type, base, std::move(indices));
}

const Stmt *Build::declare(const std::string &name, const Type &type, const Expr *init, bool isConst) const {
  return arena_.make<Declare>(range_, name, type, isConst, false, std::vector<const Expr *>{},
                              static_cast<const Tunable *>(nullptr), init);
}

const Stmt *Build::assign(const Expr *target, const Expr *value) const {
  return arena_.make<Evaluate>(range_, arena_.make<Assign>(range_, target->type, AssignOp::Set, target, value));
}

const Block *Build::block(std::vector<const Stmt *> stmts) const {
  return arena_.make<Block>(range_, std::move(stmts));
}

const Stmt *Build::when(const Expr *cond, std::vector<const Stmt *> then, std::vector<const Stmt *> otherwise) const {
  if (std::optional<Int> value = literal(cond)) return block(*value ? std::move(then) : std::move(otherwise));
  const Block *other = otherwise.empty() ? nullptr : block(std::move(otherwise));
  return arena_.make<If>(range_, cond, block(std::move(then)), other);
}

} // namespace tangram::ast
