// A program of HiDP as it is written: names are not looked up yet.
#pragma once

#include "Source.h"

#include <memory>
#include <optional>

namespace tangram::hidp::syntax {

struct Expr {
  enum class Kind : std::uint8_t {
    Number,      // text: as written
    Name,        // text
    Unary,       // text: the operator
    Binary,      // text: the operator
    Conditional, // a ? b : c
    Index,       // args: the array, then an index for each pair of brackets
    Call,        // text: the function
    Member,      // text: the field
    Cast,        // text: the type
    Operator     // text: of a reduction, "+"
  } kind = Kind::Number;
  std::string text;
  Piece piece;
  std::vector<std::unique_ptr<Expr>> args;
};
using ExprPtr = std::unique_ptr<Expr>;

/// A name with its type, and an extent for each pair of brackets.
struct Declarator {
  std::string type, name;
  Piece piece, typePiece;
  std::vector<ExprPtr> extents;
  ExprPtr init;
};

/// name := [low : high), each end in it or not.
struct Iterator {
  std::string name;
  Piece piece, namePiece;
  ExprPtr low, high;
  bool lowIncluded = true, highIncluded = true;
};

struct Stmt;
using StmtPtr = std::unique_ptr<Stmt>;

struct Block {
  Piece piece;
  std::vector<StmtPtr> stmts;
};

/// What stands behind a map block: reduce("+", output, input, k:=[*]).
struct Suffix {
  std::string function, op;
  Piece piece, functionPiece, opPiece;
  ExprPtr output, input;
  std::vector<std::pair<std::string, Piece>> starred;
};

struct Stmt {
  enum class Kind : std::uint8_t { Declare, Assign, Map, If, While, For, Call, Block } kind = Kind::Block;
  Piece piece;
  std::vector<Declarator> declarators;
  // Assign: target op value; Call: value; If, While, For: value is the condition
  std::string op; // "=", "+=", ...
  ExprPtr target, value;
  StmtPtr init, step; // of For
  // Map
  std::vector<Iterator> iterators;
  std::optional<Suffix> suffix;
  std::vector<std::pair<std::string, Piece>> levels; // of a pragma
  Block body;
  std::optional<Block> otherwise; // of If
};

enum class Flow : std::uint8_t { Input, Output, InOut };

struct Argument {
  Flow flow = Flow::Input;
  Declarator declarator;
};

struct Function {
  std::string name;
  Piece piece, namePiece;
  std::vector<Argument> arguments;
  Block body;
};

struct Struct {
  std::string name;
  Piece piece, namePiece;
  std::vector<Declarator> fields;
};

struct Program {
  std::vector<Struct> structs;
  std::vector<Function> functions;
};

} // namespace tangram::hidp::syntax
