// What indices of lanes have in common: a distance, or a part that is the same.
#pragma once

#include "tangram/ast/Node.h"

#include <optional>

namespace tangram::openmp {

/// The value of a literal, converted or not.
std::optional<ast::Int> number(const ast::Expr *e);

/// first + lane / each * step * stride, of indices of 64 bits; signed ones of fewer bits, of lanes that are used, are
/// converted to these.
struct Strided {
  const ast::Expr *first = nullptr; // a scalar; null: 0
  ast::Int step = 0;
  const ast::Expr *stride = nullptr; // a scalar that only the run shows, without effects; null: 1
  ast::Int each = 1;                 // neighbouring lanes that have the same one
};
std::optional<Strided> strided(const ast::Expr *index, ast::Arena &arena);

/// first + lanes, of an index of 64 bits of which lanes differ in signed numbers of 32 bits: half as many registers.
struct Near {
  const ast::Expr *first = nullptr; // a scalar
  const ast::Expr *lanes = nullptr; // a vector
};
std::optional<Near> near(const ast::Expr *index, ast::Arena &arena);

} // namespace tangram::openmp
