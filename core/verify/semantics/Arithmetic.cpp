// Operators, atomic operations, functions of the math library.
#include "Values.h"

#include "tangram/ast/Builtins.h"
#include "tangram/runtime/float16.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

namespace tangram::semantics {

using namespace ast;

Scalar real(Type type, double value) {
  Scalar result;
  if (type == Type(ast::Scalar::F32)) value = static_cast<float>(value);
  if (type == Type(ast::Scalar::F16)) value = tangram_f16_to_f32(tangram_f32_to_f16(static_cast<float>(value)));
  if (type == Type(ast::Scalar::BF16)) value = tangram_bf16_to_f32(tangram_f32_to_bf16(static_cast<float>(value)));
  result.type = std::move(type);
  result.d = value;
  return result;
}

namespace {

Scalar boolean(bool v) { return integer(ast::Scalar::Bool, v); }

Scalar ofReals(BinaryOp op, const Type &type, double x, double y) {
  switch (op) {
  case BinaryOp::Add: return real(type, x + y);
  case BinaryOp::Sub: return real(type, x - y);
  case BinaryOp::Mul: return real(type, x * y);
  case BinaryOp::Div: return real(type, x / y);
  case BinaryOp::Eq: return boolean(x == y);
  case BinaryOp::Ne: return boolean(x != y);
  case BinaryOp::Lt: return boolean(x < y);
  case BinaryOp::Le: return boolean(x <= y);
  case BinaryOp::Gt: return boolean(x > y);
  case BinaryOp::Ge: return boolean(x >= y);
  case BinaryOp::Rem:
  case BinaryOp::Shl:
  case BinaryOp::Shr:
  case BinaryOp::And:
  case BinaryOp::Or:
  case BinaryOp::Xor: throw Failure("an integer operator on floating-point numbers");
  case BinaryOp::LogicalAnd:
  case BinaryOp::LogicalOr:
  case BinaryOp::Comma: break;
  }
  throw Failure("an operator that is no arithmetic");
}

Scalar ofIntegers(BinaryOp op, const Scalar &a, const Scalar &b) {
  const Wide x = number(a), y = number(b);
  auto unsign = [](const Scalar &s) { return static_cast<std::uint64_t>(s.i); };
  auto whole = [&](std::uint64_t bits) { return integer(a.type, static_cast<std::int64_t>(bits)); };
  auto wrapped = [&](Wide v) { return whole(static_cast<std::uint64_t>(v)); };
  switch (op) {
  case BinaryOp::Add: return wrapped(x + y);
  case BinaryOp::Sub: return wrapped(x - y);
  case BinaryOp::Mul: return whole(unsign(a) * unsign(b));
  case BinaryOp::Div:
  case BinaryOp::Rem:
    if (y == 0) throw Undefined("division by zero");
    return wrapped(op == BinaryOp::Div ? x / y : x % y);
  case BinaryOp::Shl:
  case BinaryOp::Shr:
    if (y < 0 || y >= Wide{8} * static_cast<int>(a.type.bytes()))
      throw Undefined(fmt::format("a {} is shifted by {} bits", a.type.cName(), static_cast<std::int64_t>(y)));
    return op == BinaryOp::Shl ? whole(unsign(a) << static_cast<int>(y)) : wrapped(x >> static_cast<int>(y));
  case BinaryOp::And: return wrapped(x & y);
  case BinaryOp::Or: return wrapped(x | y);
  case BinaryOp::Xor: return wrapped(x ^ y);
  case BinaryOp::Eq: return boolean(x == y);
  case BinaryOp::Ne: return boolean(x != y);
  case BinaryOp::Lt: return boolean(x < y);
  case BinaryOp::Le: return boolean(x <= y);
  case BinaryOp::Gt: return boolean(x > y);
  case BinaryOp::Ge: return boolean(x >= y);
  case BinaryOp::LogicalAnd:
  case BinaryOp::LogicalOr:
  case BinaryOp::Comma: break;
  }
  throw Failure("an operator that is no arithmetic");
}

Type commonOf(const Type &a, const Type &b) {
  if (!a.isFloating() && !b.isFloating()) return a.bytes() >= b.bytes() ? a : b;
  const Type wide(ast::Scalar::F64);
  return a == wide || b == wide ? wide : Type(ast::Scalar::F32);
}

/// Of the C library, in both precisions.
struct Function1 {
  double (*wide)(double);
  float (*narrow)(float);
};
struct Function2 {
  double (*wide)(double, double);
  float (*narrow)(float, float);
};
#define ONE(name)                                                                                                      \
  {                                                                                                                    \
    #name, {                                                                                                           \
      [](double x) { return std::name(x); }, [](float x) { return std::name(x); }                                      \
    }                                                                                                                  \
  }
#define TWO(name)                                                                                                      \
  {                                                                                                                    \
    #name, {                                                                                                           \
      [](double x, double y) { return std::name(x, y); }, [](float x, float y) { return std::name(x, y); }             \
    }                                                                                                                  \
  }
const std::map<std::string, Function1> &functionsOfOne() {
  static const std::map<std::string, Function1> all{
      ONE(acos),  ONE(acosh),  ONE(asin), ONE(asinh), ONE(atan),  ONE(atanh),  ONE(cbrt),  ONE(ceil),
      ONE(cos),   ONE(cosh),   ONE(erf),  ONE(erfc),  ONE(exp),   ONE(exp2),   ONE(expm1), ONE(fabs),
      ONE(floor), ONE(lgamma), ONE(log),  ONE(log10), ONE(log1p), ONE(log2),   ONE(rint),  ONE(round),
      ONE(sin),   ONE(sinh),   ONE(sqrt), ONE(tan),   ONE(tanh),  ONE(tgamma), ONE(trunc)};
  return all;
}
const std::map<std::string, Function2> &functionsOfTwo() {
  static const std::map<std::string, Function2> all{TWO(atan2), TWO(copysign), TWO(fdim),  TWO(fmax),
                                                    TWO(fmin),  TWO(fmod),     TWO(hypot), TWO(pow)};
  return all;
}
#undef ONE
#undef TWO

} // namespace

Scalar arithmetic(BinaryOp op, const Scalar &a, const Scalar &b) {
  return a.type.isFloating() ? ofReals(op, a.type, a.d, b.d) : ofIntegers(op, a, b);
}

Scalar compound(AssignOp op, const Scalar &old, const Scalar &value) {
  if (op == AssignOp::Shl || op == AssignOp::Shr) return convert(arithmetic(binaryOf(op), old, value), old.type);
  const Type common = commonOf(old.type, value.type);
  return convert(arithmetic(binaryOf(op), convert(old, common), convert(value, common)), old.type);
}

Scalar atomically(AtomicOp op, const Scalar &old, const std::vector<Scalar> &operands) {
  auto with = [&](BinaryOp binary) {
    const Type common = commonOf(old.type, operands[0].type);
    return convert(arithmetic(binary, convert(old, common), convert(operands[0], common)), old.type);
  };
  auto less = [&](const Scalar &a, const Scalar &b) { return truth(arithmetic(BinaryOp::Lt, a, b)); };
  Scalar value = convert(operands.at(0), old.type);
  switch (op) {
  case AtomicOp::Add:
  case AtomicOp::OrderedAdd: return with(BinaryOp::Add);
  case AtomicOp::Sub: return with(BinaryOp::Sub);
  case AtomicOp::Min: return less(value, old) ? value : old;
  case AtomicOp::Max: return less(old, value) ? value : old;
  case AtomicOp::And: return with(BinaryOp::And);
  case AtomicOp::Or: return with(BinaryOp::Or);
  case AtomicOp::Xor: return with(BinaryOp::Xor);
  case AtomicOp::Exchange: return value;
  case AtomicOp::CompareExchange:
    return truth(arithmetic(BinaryOp::Eq, old, value)) ? convert(operands.at(1), old.type) : old;
  }
  throw Failure("an atomic operation that is none");
}

Scalar mathFunction(const std::string &name, const Type &type, const std::vector<Scalar> &args) {
  if (isHalfConversion(name)) {
    if (name.starts_with("tangram_f32_to_")) {
      const auto x = static_cast<float>(args.at(0).d);
      return integer(type, name == narrowing(ast::Scalar::F16) ? tangram_f32_to_f16(x) : tangram_f32_to_bf16(x));
    }
    const auto bits = static_cast<std::uint16_t>(args.at(0).i);
    return real(type, name == widening(ast::Scalar::F16) ? static_cast<float>(tangram_f16_to_f32(bits))
                                                         : static_cast<float>(tangram_bf16_to_f32(bits)));
  }
  if (name == kReciprocalRoot) return real(type, 1 / std::sqrt(args.at(0).d));
  if (name == "isnan") return convert(boolean(std::isnan(args.at(0).d)), type);
  if (name == "isinf") return convert(boolean(std::isinf(args.at(0).d)), type);
  if (name == "isfinite") return convert(boolean(std::isfinite(args.at(0).d)), type);
  if (name == "abs" || name == "llabs") return integer(type, args.at(0).i < 0 ? -args.at(0).i : args.at(0).i);
  const bool wide = functionsOfOne().count(name) || functionsOfTwo().count(name) || name == "fma";
  const std::string base = wide || !name.ends_with('f') ? name : name.substr(0, name.size() - 1);
  auto narrow = [&](std::size_t i) { return static_cast<float>(args.at(i).d); };
  if (auto one = functionsOfOne().find(base); one != functionsOfOne().end())
    return real(type, wide ? one->second.wide(args.at(0).d) : static_cast<double>(one->second.narrow(narrow(0))));
  if (auto two = functionsOfTwo().find(base); two != functionsOfTwo().end())
    return real(type, wide ? two->second.wide(args.at(0).d, args.at(1).d)
                           : static_cast<double>(two->second.narrow(narrow(0), narrow(1))));
  if (base == "fma")
    return real(type, wide ? std::fma(args.at(0).d, args.at(1).d, args.at(2).d)
                           : static_cast<double>(std::fma(narrow(0), narrow(1), narrow(2))));
  throw Unknown(fmt::format("the function '{}'", name));
}

} // namespace tangram::semantics
