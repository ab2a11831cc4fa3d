// How a scalar follows from what it was an iteration before: by one operator, begun anew in between, or as a linear
// function. All of these compose, so that parts of a loop can be combined (Blelloch, "Prefix sums and their
// applications", 1990).
#pragma once

#include "Reductions.h"

namespace tangram::divide {

struct Recurrence {
  enum class Kind : std::uint8_t {
    Combined,  // s = s op e
    Restarted, // and s = e
    Linear     // s = a * s + b
  };
  Kind kind = Kind::Combined;
  nest::ReductionOp op = nest::ReductionOp::Add;
  ast::Type factorType;                   // that factors are computed in
  std::vector<const ast::Stmt *> updates; // all statements of the body that set the scalar
};

/// Of a scalar that statements of the body, and of branches in it, set. Nothing where it follows in other ways, or is
/// set elsewhere. What factors and new beginnings depend on is not looked at.
std::optional<Recurrence> recurrenceOf(const std::vector<const ast::Stmt *> &body, const std::string &scalar,
                                       const ast::Type &type, const ast::Module &module);

/// What an update computes with, apart from the scalar.
std::vector<const ast::Expr *> operandsOf(const ast::Stmt *update, const std::string &scalar,
                                          const ast::Module &module);

/// The statements, which say in the variable `companion` as well whether the scalar began anew (a truth value), or what
/// its factor has come to (of the type of factors).
std::vector<const ast::Stmt *> withCompanion(const std::vector<const ast::Stmt *> &stmts, const Recurrence &recurrence,
                                             const std::string &scalar, const ast::Expr *companion,
                                             const ast::Module &module, ast::Arena &arena);

} // namespace tangram::divide
