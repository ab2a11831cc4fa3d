// A program of HiDP whose names, types and shapes are known. Elementwise expressions are nests of loops here, and a
// suffix reduction stands on a nest of its own, over exactly the iterators that it reduces.
#pragma once

#include "Source.h"
#include "Syntax.h"
#include "tangram/ast/Type.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

namespace tangram::hidp {

using syntax::Flow;

struct Expr;
struct Function;

struct Variable {
  enum class Kind : std::uint8_t { Size, Array, Scalar, Iterator } kind = Kind::Scalar;
  std::string name;  // as it is written
  std::string text;  // in what is emitted
  ast::Type type;    // of the value, or of an element
  unsigned rank = 0; // of an array
  std::vector<const Expr *> extents;
  Piece piece;
  bool implicit = false; // declared by its first assignment
  bool argument = false;
  Flow flow = Flow::Input;
  /// A scalar argument that the function changes and does not return: a container of one element for its callers.
  bool cell = false;
  unsigned depth = 0; // how many map blocks are around its declaration
};

struct Expr {
  enum class Kind : std::uint8_t {
    Literal,     // text
    Variable,    // a size, scalar or iterator
    Element,     // of `variable`; args: its indices
    Whole,       // an array as an argument of a call
    Unary,       // text: the operator
    Binary,      // text: the operator
    Conditional, //
    Call,        // text: what C++ calls
    Member,      // text: the field
    Cast         // to `type`
  } kind = Kind::Literal;
  std::string text;
  ast::Type type;
  Piece piece;
  const Variable *variable = nullptr;
  std::vector<const Expr *> args;
};

/// iterator = low, ... below high, as 64 signed bits.
struct Loop {
  const Variable *iterator = nullptr;
  const Expr *low = nullptr, *high = nullptr;
};

enum class Reducer : std::uint8_t { Add, Mul, Min, Max };

/// What all iterations of a nest have as `value`, combined into `target`.
struct Reduction {
  Reducer op = Reducer::Add;
  const Expr *target = nullptr, *value = nullptr;
  Piece piece;
};

struct Stmt;
using Stmts = std::vector<const Stmt *>;

struct Stmt {
  enum class Kind : std::uint8_t {
    Declare, // `variable`, with `value` where it has one
    Assign,  // target op value
    Nest,    // loops in any order around body
    If,
    While,
    For,
    Call,     // of `callee`
    Primitive // `op`: its name; args
  } kind = Kind::Assign;
  Piece piece;
  const Variable *variable = nullptr;
  std::string op;
  const Expr *target = nullptr, *value = nullptr;
  const Stmt *init = nullptr, *step = nullptr;
  std::vector<Loop> loops;
  std::optional<Reduction> reduction;
  std::vector<std::string> levels; // of a pragma; empty: none
  Stmts body, otherwise;
  const Function *callee = nullptr;
  std::vector<const Expr *> args;
  std::vector<bool> changes; // which of them a call changes
};

struct Function {
  std::string name;
  Piece piece, namePiece;
  std::vector<const Variable *> arguments;
  const Variable *result = nullptr; // the one output scalar, if it is the only one
  std::vector<const Variable *> sizes;
  /// What a size is: an extent of an argument.
  std::map<const Variable *, std::pair<const Variable *, unsigned>> known;
  /// Scalars alone: an ordinary function, which may be called anywhere.
  bool scalar = false;
  Stmts body;
};

inline bool isNest(const Stmt &s) { return s.kind == Stmt::Kind::Nest; }
/// Of something that may do more to arrays than its arguments say.
inline bool isCall(const Stmt &s) {
  return (s.kind == Stmt::Kind::Call && !s.callee->scalar) || s.kind == Stmt::Kind::Primitive;
}

/// Owns all of it.
struct Program {
  std::deque<Variable> variables;
  std::deque<Expr> exprs;
  std::deque<Stmt> stmts;
  std::deque<Function> functions;
  std::vector<const syntax::Struct *> structs;

  const Expr *make(Expr e) { return &exprs.emplace_back(std::move(e)); }
  const Stmt *make(Stmt s) { return &stmts.emplace_back(std::move(s)); }
};

/// Whether two expressions are the same text, up to where they are written.
bool same(const Expr *a, const Expr *b);

} // namespace tangram::hidp
