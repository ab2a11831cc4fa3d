#include "tangram/ast/Attributes.h"

#include <array>

namespace tangram::ast {
namespace {
using std::string_view;
constexpr std::array<string_view, 3> kAccess{"in", "inout", "out"};
constexpr std::array<string_view, 10> kUnary{"plus",   "minus",   "not",     "bitnot", "preinc",
                                             "predec", "postinc", "postdec", "deref",  "addressof"};
constexpr std::array<string_view, 10> kUnarySymbols{"+", "-", "!", "~", "++", "--", "++", "--", "*", "&"};
constexpr std::array<string_view, 19> kBinary{"add", "sub", "mul", "div",    "rem",   "shl", "shr",
                                              "and", "or",  "xor", "logand", "logor", "eq",  "ne",
                                              "lt",  "le",  "gt",  "ge",     "comma"};
constexpr std::array<string_view, 19> kBinarySymbols{"+",  "-",  "*",  "/",  "%", "<<", ">>", "&",  "|", "^",
                                                     "&&", "||", "==", "!=", "<", "<=", ">",  ">=", ","};
constexpr std::array<string_view, 11> kAssign{"set", "add", "sub", "mul", "div", "rem",
                                              "shl", "shr", "and", "or",  "xor"};
constexpr std::array<string_view, 11> kAssignSymbols{"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="};
constexpr std::array<string_view, 10> kAtomic{
    "add", "sub", "min", "max", "and", "or", "xor", "exchange", "compareexchange", "orderedadd"};
constexpr std::array<string_view, 6> kReduce{"add", "min", "max", "any", "all", "first"};
constexpr std::array<string_view, 5> kPolicy{"none", "distribute", "serialize", "split", "unroll"};
constexpr std::array<string_view, 4> kCapability{"none", "scalar", "vector", "matrix"};
} // namespace

template <> std::span<const std::string_view> enumNames<Access>() { return kAccess; }
template <> std::span<const std::string_view> enumNames<UnaryOp>() { return kUnary; }
template <> std::span<const std::string_view> enumNames<BinaryOp>() { return kBinary; }
template <> std::span<const std::string_view> enumNames<AssignOp>() { return kAssign; }
template <> std::span<const std::string_view> enumNames<AtomicOp>() { return kAtomic; }
template <> std::span<const std::string_view> enumNames<ReduceOp>() { return kReduce; }
template <> std::span<const std::string_view> enumNames<Policy>() { return kPolicy; }
template <> std::span<const std::string_view> enumNames<Capability>() { return kCapability; }

std::string_view symbol(UnaryOp op) { return kUnarySymbols[static_cast<std::size_t>(op)]; }
std::string_view symbol(BinaryOp op) { return kBinarySymbols[static_cast<std::size_t>(op)]; }
std::string_view symbol(AssignOp op) { return kAssignSymbols[static_cast<std::size_t>(op)]; }

int precedence(BinaryOp op) {
  switch (op) {
  case BinaryOp::Mul:
  case BinaryOp::Div:
  case BinaryOp::Rem: return 10;
  case BinaryOp::Add:
  case BinaryOp::Sub: return 9;
  case BinaryOp::Shl:
  case BinaryOp::Shr: return 8;
  case BinaryOp::Lt:
  case BinaryOp::Le:
  case BinaryOp::Gt:
  case BinaryOp::Ge: return 7;
  case BinaryOp::Eq:
  case BinaryOp::Ne: return 6;
  case BinaryOp::And: return 5;
  case BinaryOp::Xor: return 4;
  case BinaryOp::Or: return 3;
  case BinaryOp::LogicalAnd: return 2;
  case BinaryOp::LogicalOr: return 1;
  case BinaryOp::Comma: return 0;
  }
  return 0;
}

BinaryOp mirrored(BinaryOp op) {
  switch (op) {
  case BinaryOp::Lt: return BinaryOp::Gt;
  case BinaryOp::Le: return BinaryOp::Ge;
  case BinaryOp::Gt: return BinaryOp::Lt;
  case BinaryOp::Ge: return BinaryOp::Le;
  default: return op;
  }
}

BinaryOp binaryOf(AssignOp op) {
  // AssignOp lists Set and then the arithmetic operators in BinaryOp's order.
  return op == AssignOp::Set ? BinaryOp::Comma : static_cast<BinaryOp>(static_cast<int>(op) - 1);
}

} // namespace tangram::ast
