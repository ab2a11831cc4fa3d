#include "tangram/c-family/Expressions.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"

#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace tangram::c_family {

using namespace ast;

namespace {

int strength(BinaryOp op) {
  switch (op) {
  case BinaryOp::Mul:
  case BinaryOp::Div:
  case BinaryOp::Rem: return 13;
  case BinaryOp::Add:
  case BinaryOp::Sub: return 12;
  case BinaryOp::Shl:
  case BinaryOp::Shr: return 11;
  case BinaryOp::Lt:
  case BinaryOp::Le:
  case BinaryOp::Gt:
  case BinaryOp::Ge: return Expressions::kLess;
  case BinaryOp::Eq:
  case BinaryOp::Ne: return 8;
  case BinaryOp::And: return 7;
  case BinaryOp::Xor: return 6;
  case BinaryOp::Or: return 5;
  case BinaryOp::LogicalAnd: return 4;
  case BinaryOp::LogicalOr: return 3;
  case BinaryOp::Comma: return Expressions::kComma;
  }
  return 0;
}

bool isArithmetic(BinaryOp op) { return strength(op) >= 12; }

/// Pairs of operators that compilers ask parentheses for, beyond what the grammar needs.
bool wantsParentheses(BinaryOp outer, BinaryOp inner) {
  if (isArithmetic(outer) && isArithmetic(inner)) return false;
  if (isComparison(outer)) return !isArithmetic(inner);
  if (outer == BinaryOp::LogicalAnd || outer == BinaryOp::LogicalOr)
    return inner != outer && !isArithmetic(inner) && !isComparison(inner);
  return outer != inner;
}

bool isVectorLeaf(const Expr *e) { return isa<Broadcast>(e); }

} // namespace

std::string Expressions::print(const Expr *e, const Type &wanted) { return at(e, wanted).text; }

std::string Expressions::operand(const Expr *e, int strength, const Type &wanted) {
  Text text = at(e, wanted);
  return text.strength < strength ? "(" + text.text + ")" : text.text;
}

Expressions::Text Expressions::literal(const IntLit *e, const Type &wanted) {
  const Type &t = e->type;
  if (t.isBool()) return {boolean(e->value != 0)};
  bool wide = t.bytes() == 8;
  if (t.isSigned() && e->value < 0) {
    if (e->value == std::numeric_limits<Int>::min() || (!wide && e->value == std::numeric_limits<std::int32_t>::min()))
      return {least(t)};
    std::string text = std::to_string(e->value);
    if (t == Type(Scalar::I32) || wanted == t) return {text, kPrefix};
    return typedLiteral(t, text, false);
  }
  auto value = static_cast<std::uint64_t>(e->value);
  bool fitsInt = value <= static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
  bool converts = wanted.isInteger() && !wanted.isBool() && wanted.bytes() >= t.bytes();
  if (t == Type(Scalar::I32) || (converts && fitsInt)) return {std::to_string(value)};
  if (t == Type(Scalar::U32)) return {std::to_string(value) + "u"};
  if (t == Type(Scalar::U64) && value == std::numeric_limits<std::uint64_t>::max()) return {most64()};
  return typedLiteral(t, std::to_string(value), wide && !fitsInt);
}

Expressions::Text Expressions::real(const FloatLit *e) {
  if (e->type.isHalf()) {
    Arena scratch;
    return {converted(e->type, real(scratch.make<FloatLit>(e->range, Type(Scalar::F32), e->value)).text)};
  }
  bool single = e->type == Type(Scalar::F32);
  if (std::isinf(e->value) || std::isnan(e->value)) {
    std::string text = std::isinf(e->value) ? infinity(e->type) : notANumber(e->type);
    return std::signbit(e->value) ? Text{"-" + text, kPrefix} : Text{text};
  }
  std::string text = single ? fmt::format("{}", static_cast<float>(e->value)) : fmt::format("{}", e->value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  if (single) text += 'f';
  return {text, std::signbit(e->value) ? kPrefix : kPrimary};
}

Expressions::Text Expressions::unary(const Unary *e) {
  // Lanes of a mask are bits: ! in front of & looks like a mistake to compilers.
  bool mask = e->op == UnaryOp::Not && e->type.isVector();
  std::string symbol(mask ? "~" : ast::symbol(e->op));
  if (e->op == UnaryOp::PostInc || e->op == UnaryOp::PostDec)
    return {operand(e->operand, kPostfix, {}) + symbol, kPostfix};
  std::string text = operand(e->operand, kPrefix, {});
  // Not `--x` for -(-x).
  if (!text.empty() && text[0] == symbol[0]) text = "(" + text + ")";
  return {symbol + text, kPrefix};
}

Expressions::Text Expressions::binary(const Binary *e) {
  int own = strength(e->op);
  bool mixes = isArithmetic(e->op) || isComparison(e->op) || e->op == BinaryOp::And || e->op == BinaryOp::Or ||
               e->op == BinaryOp::Xor;
  auto side = [&](const Expr *mine, const Expr *other, bool right) {
    Type wanted;
    // A conversion beside a literal is spelled, and the literal then is not.
    bool otherKnown = !isa<IntLit>(other) && !isa<FloatLit>(other) && !isVectorLeaf(other) &&
                      (isa<IntLit>(mine) || isVectorLeaf(mine) || !isa<Cast>(other));
    if (mixes && otherKnown) wanted = other->type;
    if (right && (e->op == BinaryOp::Shl || e->op == BinaryOp::Shr)) wanted = mine->type;
    const Expr *bare = mine;
    // A broadcast beside a vector converts by itself.
    if (const auto *same = dyn<Broadcast>(mine); same && wanted.isVector()) {
      bare = same->operand;
      wanted = wanted.element();
    }
    Text text = at(bare, wanted);
    const auto *inner = dyn<Binary>(bare);
    bool parentheses = text.strength < own + (right ? 1 : 0) ||
                       (inner && text.strength != kPrimary && wantsParentheses(e->op, inner->op));
    return parentheses ? "(" + text.text + ")" : text.text;
  };
  std::string lhs = side(e->lhs, e->rhs, false), rhs = side(e->rhs, e->lhs, true);
  if (e->op == BinaryOp::Comma) return {lhs + ", " + rhs, own};
  return {fmt::format("{} {} {}", lhs, symbol(e->op), rhs), own};
}

Expressions::Text Expressions::choice(const Conditional *e, const Type &wanted) {
  // a < b ? a : b of integers is a minimum.
  const auto *test = dyn<Binary>(e->cond);
  if (test && e->type.isInteger() && !e->type.isBool() && !hasEffects(e) && test->lhs->type == e->type &&
      (test->op == BinaryOp::Lt || test->op == BinaryOp::Gt)) {
    bool straight = equal(test->lhs, e->then) && equal(test->rhs, e->otherwise);
    bool crossed = equal(test->lhs, e->otherwise) && equal(test->rhs, e->then);
    if (straight || crossed) {
      return extremum((test->op == BinaryOp::Lt) == straight, e->then, e->otherwise, e->type);
    }
  }
  bool literals =
      (isa<IntLit>(e->then) || isa<Cast>(e->then)) && (isa<IntLit>(e->otherwise) || isa<Cast>(e->otherwise));
  const Type &sides = literals && !(wanted == e->type) ? Type() : e->type;
  bool vectors = e->type.isVector();
  return {fmt::format("{} ? {} : {}", operand(e->cond, kTernary + 1, {}),
                      operand(e->then, kTernary + 1, vectors ? Type() : sides),
                      operand(e->otherwise, kTernary, vectors ? Type() : sides)),
          kTernary};
}

Expressions::Text Expressions::assign(const Assign *e) {
  const Expr *value = e->value;
  Type type = e->target->type;
  if (const auto *same = dyn<Broadcast>(value)) {
    value = same->operand;
    type = type.element();
  }
  return {fmt::format("{} {} {}", operand(e->target, kPrefix, {}), symbol(e->op), operand(value, kAssign, type)),
          kAssign};
}

Expressions::Text Expressions::check(const Check *e) {
  usesChecks = true;
  std::string mask = e->mask ? ", " + operand(e->mask, kAssign, {}) : "";
  return {fmt::format("{}in_range({}, {}, {}, {}{})", checks(), print(e->record),
                      operand(e->index, kAssign, Scalar::U64), operand(e->bound, kAssign, Scalar::U64), e->site, mask)};
}

Expressions::Text Expressions::faulted(const Faulted *e) {
  usesChecks = true;
  return {fmt::format("{}faulted({})", checks(), print(e->record))};
}

std::string Expressions::address(const Expr *base, const Expr *index) {
  Arena scratch;
  return print(Build(scratch, base->range).add(base, index));
}

std::string Expressions::arguments(const Call *e) {
  std::string args;
  for (const Expr *arg : e->args) args += (args.empty() ? "" : ", ") + operand(arg, kAssign, {});
  return args;
}

Expressions::Text Expressions::at(const Expr *e, const Type &wanted) {
  switch (exprKind(*e)) {
  case ExprKind::IntLit: return literal(as<IntLit>(e), wanted);
  case ExprKind::FloatLit: return real(as<FloatLit>(e));
  case ExprKind::VarRef: {
    auto it = spelling.find(as<VarRef>(e)->name);
    return {it == spelling.end() ? as<VarRef>(e)->name : it->second};
  }
  case ExprKind::Unary: return unary(as<Unary>(e));
  case ExprKind::Binary: return binary(as<Binary>(e));
  case ExprKind::Assign: return assign(as<Assign>(e));
  case ExprKind::Conditional: return choice(as<Conditional>(e), wanted);
  case ExprKind::Cast: return cast(as<Cast>(e), wanted);
  case ExprKind::Call: return call(as<Call>(e));
  case ExprKind::Subscript: {
    const auto *subscript = as<Subscript>(e);
    std::string text = operand(subscript->base, kPostfix, {});
    for (const Expr *index : subscript->indices) text += "[" + print(index, Scalar::U64) + "]";
    return {text};
  }
  case ExprKind::Member: {
    const auto *member = as<Member>(e);
    return {operand(member->base, kPostfix, {}) + "." + member->field};
  }
  case ExprKind::InitList: return initList(as<InitList>(e));
  case ExprKind::Atomic: // the ordered one is of the language
    return as<Atomic>(e)->op == AtomicOp::OrderedAdd ? other(e, e->type) : atomic(as<Atomic>(e));
  case ExprKind::Check: return check(as<Check>(e));
  case ExprKind::Faulted: return faulted(as<Faulted>(e));
  case ExprKind::Aligned: return at(as<Aligned>(e)->pointer, wanted);
  case ExprKind::Size:
  case ExprKind::Pitch:
  case ExprKind::CoopIdx:
  case ExprKind::CoopDim:
  case ExprKind::WorkerIndex:
  case ExprKind::WorkerCount:
  case ExprKind::Shuffle:
  case ExprKind::MatrixMultiply:
  case ExprKind::Transfer:
  case TANGRAM_LANGUAGE_EXPRS:
  case TANGRAM_VECTOR_EXPRS: break;
  }
  return other(e, wanted);
}

} // namespace tangram::c_family
