// Expressions and statements of all types, at random.
#pragma once

#include "Bytes.h"

#include <random>

namespace tangram::test {

/// A program without undefined behaviour: each value is a variable, kept in a range where nothing overflows. A seed is
/// the same program everywhere: what draws is never one of several arguments, which C++ evaluates in any order.
class RandomProgram {
public:
  explicit RandomProgram(unsigned seed) : random_(seed) {}

  Ss make(unsigned steps) {
    for (const Type &t : kTypes)
      for (int i = 0; i < 3; ++i) add(t, at(var("in_" + t.text(), Type::pointer(t)), {lit(U32, i)}, t));
    for (unsigned i = 0; i < steps; ++i) step();
    for (const auto &[name, type] : variables_)
      out_.push_back(set(at(var("out_" + type.text(), Type::pointer(type)), {lit(U32, stored_[type.text()]++)}, type),
                         var(name, type)));
    return out_;
  }
  int stored(const Type &type) const { return stored_.at(type.text()); }

private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  const Type &anyType() { return kTypes[static_cast<std::size_t>(below(static_cast<int>(kTypes.size())))]; }
  Type integerType() {
    for (;;)
      if (const Type &t = anyType(); t.isInteger() && !t.isBool()) return t;
  }
  /// Some variable, converted.
  E some(const Type &t) {
    const auto &[name, type] = variables_[static_cast<std::size_t>(below(static_cast<int>(variables_.size())))];
    // What does not fit an unsigned or narrow type is undefined where it comes from a floating one.
    bool wide = type.isFloating() && t.isInteger() && !t.isBool();
    E value = program::cast(t, wide ? program::cast(I64, var(name, type)) : var(name, type));
    // So is what overflows, and all of an unsigned type may come.
    return t.isSigned() && t.isInteger() && t.bytes() >= 4 ? value % lit(t, 4096) : value;
  }
  std::string fresh() { return "v" + std::to_string(count_++); }
  /// Small enough that products and sums of two fit.
  E kept(E e) {
    const Type &t = e.e->type;
    if (t.isFloating()) {
      std::string name = fresh();
      out_.push_back(let(name, t, e));
      E v = var(name, t);
      return select(both(v<flit(t, 30000), v> flit(t, -30000)), v, flit(t, 1.5));
    }
    return t.isSigned() && t.bytes() >= 4 ? e % lit(t, 4096) : e;
  }
  void add(const Type &t, E e) {
    std::string name = fresh();
    E v = t.isBool() ? e : kept(e);
    out_.push_back(let(name, t, v));
    variables_.emplace_back(name, t);
  }
  E arithmetic(const Type &t) {
    E a = some(t), b = some(t);
    switch (below(t.isFloating() ? 4 : 10)) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return a / (t.isFloating() ? b : bin(t, BinaryOp::Or, b, lit(t, 1)));
    case 4: return a % bin(t, BinaryOp::Or, b, lit(t, 1));
    case 5: return bin(t, BinaryOp::And, a, b);
    case 6: return bin(t, BinaryOp::Or, a, b);
    case 7: return bin(t, BinaryOp::Xor, a, b);
    case 8:
      return bin(t, BinaryOp::Shl, a,
                 program::cast(U32, bin(U32, BinaryOp::And, some(U32), lit(U32, 8 * t.bytes() - 1))));
    default:
      return bin(t, BinaryOp::Shr, a,
                 program::cast(I32, bin(U32, BinaryOp::And, some(U32), lit(U32, 8 * t.bytes() - 1))));
    }
  }
  E comparison() {
    Type t = below(2) ? integerType() : Type(below(2) ? ast::Scalar::F32 : ast::Scalar::F64);
    static constexpr BinaryOp ops[] = {BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt,
                                       BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge};
    BinaryOp op = ops[below(6)];
    E a = some(t), b = some(t);
    return bin(B, op, a, b);
  }
  void step() {
    Type t = integerType(), any = anyType();
    switch (below(12)) {
    case 0: return add(any, some(any));
    case 1:
    case 2:
    case 3: {
      Type type = any.isBool() ? t : any;
      return add(type, arithmetic(type));
    }
    case 4: return add(B, comparison());
    case 5: {
      E cond = comparison(), then = some(any), otherwise = some(any);
      return add(any, select(cond, then, otherwise));
    }
    case 6: {
      Type type = any.isBool() ? t : any;
      return add(type, program::make<ast::Unary>(type, ast::UnaryOp::Minus, some(type).e));
    }
    case 7:
      return below(2) ? add(B, negated(some(any)))
                      : add(t, program::make<ast::Unary>(t, ast::UnaryOp::BitNot, some(t).e));
    case 8: return shortCircuit();
    case 9: return compound(t);
    case 10: return loop(t);
    default: return choose(t);
    }
  }
  /// The right side counts how often it is evaluated.
  void shortCircuit() {
    std::string name = fresh();
    out_.push_back(let(name, I32, 0));
    variables_.emplace_back(name, I32);
    E count = below(2) ? inc(var(name, I32)) : postInc(var(name, I32));
    E counted = comma(count, comparison()), left = comparison();
    add(B, below(2) ? both(left, counted) : either(left, counted));
  }
  void compound(const Type &t) {
    static constexpr AssignOp ops[] = {AssignOp::Add, AssignOp::Sub, AssignOp::Mul,
                                       AssignOp::And, AssignOp::Or,  AssignOp::Xor};
    std::string name = fresh();
    out_.push_back(let(name, t, some(t)));
    AssignOp op = ops[below(6)];
    out_.push_back(run(assign(var(name, t), some(t), op)));
    add(t, program::make<ast::Unary>(t, static_cast<ast::UnaryOp>(below(4) + static_cast<int>(ast::UnaryOp::PreInc)),
                                     var(name, t).e));
    out_.push_back(set(var(name, t), kept(var(name, t))));
    variables_.emplace_back(name, t);
  }
  void loop(const Type &t) {
    std::string sum = fresh(), i = fresh();
    out_.push_back(let(sum, t, some(t)));
    S body = set(var(sum, t), kept(var(sum, t) + program::cast(t, var(i, U32))));
    Ss statements{
        when(var(i, U32) % lit(U32, 3) == lit(U32, 1), {next()}), body,
        when(bin(B, BinaryOp::Gt, program::cast(I64, var(sum, t)), program::cast(I64, some(I32))), {leave()})};
    switch (below(3)) {
    case 0: out_.push_back(program::loop(i, lit(U32, below(20)), statements)); break;
    case 1:
      statements.insert(statements.begin(), run(inc(var(i, U32))));
      out_.push_back(let(i, U32, lit(U32, 0)));
      out_.push_back(whileLoop(var(i, U32) < lit(U32, below(20)), statements));
      break;
    default:
      statements.insert(statements.begin(), run(inc(var(i, U32))));
      out_.push_back(let(i, U32, lit(U32, 0)));
      out_.push_back(doWhile(statements, var(i, U32) < lit(U32, below(20))));
    }
    variables_.emplace_back(sum, t);
  }
  void choose(const Type &t) {
    std::string name = fresh();
    out_.push_back(let(name, t, lit(t, 1)));
    auto times = [&](int by) { return set(var(name, t), kept(var(name, t) * lit(t, by))); };
    Type value = below(2) ? t : I32;
    E low = bin(value, BinaryOp::And, some(value), lit(value, 7));
    out_.push_back(program::choose(low, {option({lit(value, 0), lit(value, 3)}, {times(2)}),
                                         option({lit(value, 1)}, {times(3), leave()}), option({}, {times(5)}),
                                         option({lit(value, 5)}, {when(comparison(), {leave()}), times(7)})}));
    variables_.emplace_back(name, t);
  }

  std::mt19937 random_;
  Ss out_;
  std::vector<std::pair<std::string, Type>> variables_;
  std::map<std::string, int> stored_;
  int count_ = 0;
};

} // namespace tangram::test
