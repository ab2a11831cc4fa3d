#include "Expressions.h"

#include "tangram/ast/Builtins.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/diag/Diagnostic.h"

#include <cmath>
#include <limits>

namespace tangram::openmp {

using namespace ast;

namespace {

constexpr DiagnosticKind kLanguageNode{"openmp.language-node", DiagnosticClass::Bug, "a {} reached the backend",
                                       "the passes of the target must lower it first"};

constexpr int kPrimary = 16, kPrefix = 14, kAssign = 2, kTernary = 2, kComma = 1;

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
  case BinaryOp::Ge: return 9;
  case BinaryOp::Eq:
  case BinaryOp::Ne: return 8;
  case BinaryOp::And: return 7;
  case BinaryOp::Xor: return 6;
  case BinaryOp::Or: return 5;
  case BinaryOp::LogicalAnd: return 4;
  case BinaryOp::LogicalOr: return 3;
  case BinaryOp::Comma: return kComma;
  }
  return 0;
}

bool isComparison(BinaryOp op) { return strength(op) == 9 || strength(op) == 8; }
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

std::string lanesOf(const Type &type) { return std::to_string(type.lanes()); }

} // namespace

std::string address(Expressions &expressions, const Expr *base, const Expr *index) {
  std::string pointer = expressions.print(base);
  if (!isa<VarRef>(base)) pointer = "(" + pointer + ")";
  if (const auto *literal = dyn<IntLit>(index)) {
    if (literal->value == 0) return pointer;
    return fmt::format("{} {} {}", pointer, literal->value < 0 ? '-' : '+', std::to_string(std::abs(literal->value)));
  }
  // base + (a - b) must not be read as (base + a) - b where base + a would be far outside.
  std::string at = expressions.print(index, Scalar::U64);
  bool plain = isa<VarRef>(index) || isa<Cast>(index) || isa<Subscript>(index) || isa<VectorLane>(index);
  return plain ? pointer + " + " + at : pointer + " + (" + at + ")";
}

std::string Expressions::type(const Type &type) {
  if (type.isVector()) usesVectors = true;
  return type.cName();
}

std::string Expressions::print(const Expr *e, const Type &wanted) { return at(e, wanted).text; }

std::string Expressions::operand(const Expr *e, int strength, const Type &wanted) {
  Text text = at(e, wanted);
  return text.strength < strength ? "(" + text.text + ")" : text.text;
}

Expressions::Text Expressions::literal(const IntLit *e, const Type &wanted) {
  const Type &t = e->type;
  if (t.isBool()) return {e->value ? "true" : "false"};
  bool wide = t.bytes() == 8;
  if (t.isSigned() && e->value < 0) {
    if (e->value == std::numeric_limits<Int>::min() ||
        (!wide && e->value == std::numeric_limits<std::int32_t>::min())) {
      usesLimits = true;
      return {fmt::format("std::numeric_limits<{}>::min()", t.cName())};
    }
    std::string text = std::to_string(e->value);
    if (t == Type(Scalar::I32) || wanted == t) return {text, kPrefix};
    return {fmt::format("{}({})", t.cName(), text)};
  }
  auto value = static_cast<std::uint64_t>(e->value);
  bool fitsInt = value <= static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
  bool converts = wanted.isInteger() && !wanted.isBool() && wanted.bytes() >= t.bytes();
  if (t == Type(Scalar::I32) || (converts && fitsInt)) return {std::to_string(value)};
  if (t == Type(Scalar::U32)) return {std::to_string(value) + "u"};
  if (t == Type(Scalar::U64) && value == std::numeric_limits<std::uint64_t>::max()) return {"SIZE_MAX"};
  return {fmt::format("{}({}{})", t.cName(), value, !wide || fitsInt ? "" : t.isSigned() ? "ll" : "ull")};
}

Expressions::Text Expressions::real(const FloatLit *e, const Type &) {
  bool single = e->type == Type(Scalar::F32);
  if (std::isinf(e->value) || std::isnan(e->value)) {
    usesLimits = true;
    std::string what = std::isinf(e->value) ? "infinity" : "quiet_NaN";
    std::string text = fmt::format("std::numeric_limits<{}>::{}()", e->type.cName(), what);
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
  if (e->op == UnaryOp::PostInc || e->op == UnaryOp::PostDec) return {operand(e->operand, 15, {}) + symbol, 15};
  std::string text = operand(e->operand, kPrefix, {});
  // Not `--x` for -(-x).
  if (!text.empty() && text[0] == symbol[0]) text = "(" + text + ")";
  return {symbol + text, kPrefix};
}

Expressions::Text Expressions::binary(const Binary *e) {
  int own = strength(e->op);
  if (e->type.isVector() || e->lhs->type.isVector()) usesVectors = true;
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
      usesAlgorithm = true;
      std::string name = (test->op == BinaryOp::Lt) == straight ? "min" : "max";
      std::string a = print(e->then, e->type), b = print(e->otherwise, e->type);
      return {fmt::format("std::{}<{}>({}, {})", name, type(e->type), a, b)};
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

Expressions::Text Expressions::cast(const Cast *e, const Type &wanted) {
  const Type &from = e->operand->type, &to = e->type;
  if (to.isVector()) {
    usesVectors = true;
    if (from == to) return at(e->operand, wanted);
    return {fmt::format("tangram::convert<{}>({})", to.element().cName(), print(e->operand))};
  }
  if (to.isVoid()) return {"(void)" + operand(e->operand, kPrefix, {}), kPrefix};
  // An unsigned value widens by itself to what stands beside it.
  bool widens = wanted == to && to.isInteger() && !to.isBool() && from.isInteger() && from.bytes() < to.bytes() &&
                (!from.isSigned() || to.isSigned()) && to.bytes() >= 4;
  if (widens) return at(e->operand, {});
  if (to.isPointer()) return {fmt::format("static_cast<{}>({})", type(to), print(e->operand))};
  return {fmt::format("{}({})", type(to), print(e->operand, to == from ? to : Type()))};
}

Expressions::Text Expressions::call(const Call *e) {
  std::string args;
  for (const Expr *arg : e->args) args += (args.empty() ? "" : ", ") + operand(arg, kAssign, {});
  if (functions.count(e->callee)) return {fmt::format("{}({})", e->callee, args)};
  if (e->type.isVector() || (!e->args.empty() && e->args[0]->type.isVector())) {
    usesVectors = true;
    return {fmt::format("tangram::{}({})", e->callee, args)};
  }
  usesMath = true;
  // std:: has the forms for float and double that C spells with an f, and no macro.
  bool classify = e->callee.starts_with("is");
  return {fmt::format("{}{}({})", classify ? "std::" : "::", e->callee, args)};
}

Expressions::Text Expressions::atomic(const Atomic *e) {
  std::string place = "&" + operand(e->target, kPrefix, {});
  auto value = [&](std::size_t i) { return operand(e->operands.at(i), kAssign, e->target->type); };
  auto call = [&](std::string_view name) {
    return Text{fmt::format("tangram_atomic::{}({}, {})", name, place, value(0))};
  };
  switch (e->op) {
  case AtomicOp::Add: return call("add");
  case AtomicOp::Sub: return call("sub");
  case AtomicOp::Min: return call("min");
  case AtomicOp::Max: return call("max");
  case AtomicOp::And: return call("bit_and");
  case AtomicOp::Or: return call("bit_or");
  case AtomicOp::Xor: return call("bit_xor");
  case AtomicOp::Exchange: return call("exchange");
  case AtomicOp::CompareExchange:
    return {fmt::format("tangram_atomic::compare_exchange({}, {}, {})", place, value(0), value(1))};
  }
  return {};
}

Expressions::Text Expressions::load(const VectorLoad *e) {
  usesVectors = true;
  std::string mask = e->mask ? ", " + print(e->mask) : "";
  if (e->index->type.isVector())
    return {fmt::format("tangram::gather({}, {}{})", print(e->base), print(e->index), mask)};
  return {fmt::format("tangram::load<{}>({}{})", lanesOf(e->type), address(*this, e->base, e->index), mask)};
}

Expressions::Text Expressions::reduce(const VectorReduce *e) {
  usesVectors = true;
  static constexpr std::string_view names[] = {"reduce_add", "reduce_min", "reduce_max", "any", "all", "first_lane"};
  return {fmt::format("tangram::{}({})", names[static_cast<std::size_t>(e->op)], print(e->operand))};
}

Expressions::Text Expressions::at(const Expr *e, const Type &wanted) {
  switch (e->kind()) {
  case Kind::IntLit: return literal(as<IntLit>(e), wanted);
  case Kind::FloatLit: return real(as<FloatLit>(e), wanted);
  case Kind::VarRef: {
    auto it = spelling.find(as<VarRef>(e)->name);
    return {it == spelling.end() ? as<VarRef>(e)->name : it->second};
  }
  case Kind::Unary: return unary(as<Unary>(e));
  case Kind::Binary: return binary(as<Binary>(e));
  case Kind::Assign: {
    const auto *assign = as<Assign>(e);
    const Expr *value = assign->value;
    Type type = assign->target->type;
    if (const auto *same = dyn<Broadcast>(value)) {
      value = same->operand;
      type = type.element();
    }
    return {fmt::format("{} {} {}", operand(assign->target, kPrefix, {}), symbol(assign->op),
                        operand(value, kAssign, type)),
            kAssign};
  }
  case Kind::Conditional: return choice(as<Conditional>(e), wanted);
  case Kind::Cast: return cast(as<Cast>(e), wanted);
  case Kind::Call: return call(as<Call>(e));
  case Kind::Subscript: {
    const auto *subscript = as<Subscript>(e);
    std::string text = operand(subscript->base, 15, {});
    for (const Expr *index : subscript->indices) text += "[" + print(index, Scalar::U64) + "]";
    return {text};
  }
  case Kind::Member: {
    const auto *member = as<Member>(e);
    return {operand(member->base, 15, {}) + "." + member->field};
  }
  case Kind::InitList: {
    std::string text;
    for (const Expr *value : as<InitList>(e)->values)
      text += (text.empty() ? "" : ", ") + operand(value, kAssign, value->type);
    return {"{" + text + "}"};
  }
  case Kind::Atomic: return atomic(as<Atomic>(e));
  case Kind::LaneIndex:
    usesVectors = true;
    return {fmt::format("tangram::lane_index<{}, {}>()", e->type.element().cName(), lanesOf(e->type))};
  case Kind::Broadcast:
    return {fmt::format("{}({})", type(e->type), print(as<Broadcast>(e)->operand, e->type.element()))};
  case Kind::VectorLoad: return load(as<VectorLoad>(e));
  case Kind::VectorSelect: {
    usesVectors = true;
    const auto *select = as<VectorSelect>(e);
    const auto *test = dyn<Binary>(select->mask);
    if (test && test->op == BinaryOp::Lt && e->type.element().isInteger() && !e->type.element().isBool()) {
      bool least = equal(test->lhs, select->then) && equal(test->rhs, select->otherwise);
      bool most = equal(test->lhs, select->otherwise) && equal(test->rhs, select->then);
      if (least || most) {
        const Expr *a = select->then, *b = select->otherwise;
        if (isa<Broadcast>(a)) std::swap(a, b);
        const auto *same = dyn<Broadcast>(b);
        return {fmt::format("tangram::{}({}, {})", least ? "min" : "max", print(a),
                            same ? print(same->operand, e->type.element()) : print(b))};
      }
    }
    // The first side says the type, the second converts to it.
    std::string otherwise = print(select->otherwise);
    if (const auto *same = dyn<Broadcast>(select->otherwise); same && !e->type.element().isBool())
      otherwise = print(same->operand, e->type.element());
    return {fmt::format("tangram::select({}, {}, {})", print(select->mask), print(select->then), otherwise)};
  }
  case Kind::VectorReduce: return reduce(as<VectorReduce>(e));
  case Kind::VectorLane: {
    const auto *lane = as<VectorLane>(e);
    return {fmt::format("{}[{}]", operand(lane->operand, 15, {}), print(lane->lane, Scalar::U64))};
  }
  default: fail(kLanguageNode, e->range, name(e->kind()));
  }
}

} // namespace tangram::openmp
