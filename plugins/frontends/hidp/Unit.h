// A spectrum that is made of a function, or of a part of one: what it is given, and what it returns.
#pragma once

#include "Program.h"
#include "Text.h"

namespace tangram::hidp {

struct Unit {
  std::string name;
  Piece piece;
  bool entry = false; // a function of the file: its changed scalars are containers of one element
  std::vector<std::pair<const Variable *, bool>> parameters; // and whether it is written
  ast::Type result;                                          // void: none
  const Variable *returned = nullptr;                        // a scalar of the body, or ...
  const Expr *returnedValue = nullptr;                       // ... what is computed from its scalars
  /// Sizes that its arrays tell: an extent of one.
  std::map<const Variable *, std::pair<const Variable *, unsigned>> known;
  Text conditions;
  std::vector<std::string> levels; // where its codelets may stand; empty: anywhere
};

/// "float sum(const Array<1, float> in)"
Text header(const Unit &unit);

/// Of a function of the file.
Unit unitOf(const Function &f);

/// Of statements within a function: all that they use and do not declare is given. Null variables are left out.
Unit unitOf(std::string name, Piece piece, const Stmts &stmts, const std::vector<const Variable *> &first);

/// What stands in front of a body: sizes, and scalars that are containers outside.
void prologue(const Unit &unit, const Stmts &body, Text &out);
void epilogue(const Unit &unit, Text &out);

/// Variables that the statements declare, iterators included.
std::vector<const Variable *> declaredIn(const Stmts &stmts);

} // namespace tangram::hidp
