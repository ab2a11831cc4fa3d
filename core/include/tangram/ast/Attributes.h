// The attribute types that Nodes.def uses, and the names of their values in the textual AST.
#pragma once

#include "tangram/ast/Type.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tangram::ast {

using Text = std::string;
using Texts = std::vector<std::string>;
/// Texts that hardly any node has: not in the text of the others, nor in their hash.
struct Assumed : Texts {
  using Texts::Texts;
};
/// Not in the text of nodes of which it does not hold, nor in their hash; nodes are equal with and without.
enum class Flag : bool { No, Yes };
using Bool = bool;
using Int = std::int64_t;
using Ints = std::vector<std::int64_t>;
using Real = double;
using Counts = std::map<std::string, Int>;

enum class Access : std::uint8_t { In, InOut, Out };
enum class UnaryOp : std::uint8_t { Plus, Minus, Not, BitNot, PreInc, PreDec, PostInc, PostDec, Deref, AddressOf };
enum class BinaryOp : std::uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Rem,
  Shl,
  Shr,
  And,
  Or,
  Xor,
  LogicalAnd,
  LogicalOr,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Comma
};
enum class AssignOp : std::uint8_t { Set, Add, Sub, Mul, Div, Rem, Shl, Shr, And, Or, Xor };
/// OrderedAdd: the calls of a map add one after the other, in the order of its parts.
enum class AtomicOp : std::uint8_t { Add, Sub, Min, Max, And, Or, Xor, Exchange, CompareExchange, OrderedAdd };
/// First: the number of the lowest lane that is set.
enum class ReduceOp : std::uint8_t { Add, Min, Max, Any, All, First };
/// How a map runs (section 5.2.1); None until the cloner decides.
enum class Policy : std::uint8_t { None, Distribute, Serialize, Split, Unroll };
/// What a level executes by itself (Figure 5.1; Matrix goes beyond it).
enum class Capability : std::uint8_t { None, Scalar, Vector, Matrix };

/// Spellings of an enum's values, in order, as they stand in the textual AST.
template <class E> std::span<const std::string_view> enumNames();
template <> std::span<const std::string_view> enumNames<Access>();
template <> std::span<const std::string_view> enumNames<UnaryOp>();
template <> std::span<const std::string_view> enumNames<BinaryOp>();
template <> std::span<const std::string_view> enumNames<AssignOp>();
template <> std::span<const std::string_view> enumNames<AtomicOp>();
template <> std::span<const std::string_view> enumNames<ReduceOp>();
template <> std::span<const std::string_view> enumNames<Policy>();
template <> std::span<const std::string_view> enumNames<Capability>();

template <class E> std::string_view name(E value) { return enumNames<E>()[static_cast<std::size_t>(value)]; }

/// The C spelling of an operator: "+", "&&", "<<=".
std::string_view symbol(UnaryOp op);
std::string_view symbol(BinaryOp op);
std::string_view symbol(AssignOp op);
/// How tightly C binds the operands of an operator: 0 of a comma, more of those that need no parentheses within it.
int precedence(BinaryOp op);
inline bool isComparison(BinaryOp op) { return op >= BinaryOp::Eq && op <= BinaryOp::Ge; }
/// < <= > >=
inline bool isOrdering(BinaryOp op) { return op >= BinaryOp::Lt && op <= BinaryOp::Ge; }
/// The operator of `b op a` where that is `a op b` of an ordering; others as they are.
BinaryOp mirrored(BinaryOp op);
/// The operator that `target op= value` applies; Comma for plain assignment.
BinaryOp binaryOf(AssignOp op);

} // namespace tangram::ast
