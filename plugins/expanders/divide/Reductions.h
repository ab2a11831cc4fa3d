// A loop that carries nothing but a scalar's updates by one operator, as a spectrum over its range.
#pragma once

#include "Spectrums.h"
#include "tangram/nest/Dependences.h"

namespace tangram::divide {

struct ReductionLoop {
  LoopRange range;
  std::vector<const ast::Stmt *> body;
  Captures captures; // without the scalar
  std::string scalar;
  ast::Type type;
  nest::ReductionOp op = nest::ReductionOp::Add;
  bool reorder = true; // parts may be combined in another order than the loop's
};

/// What leaves a value as it is; null for a type that has none.
const ast::Expr *neutral(const ast::Build &build, nest::ReductionOp op, const ast::Type &type);
const ast::Expr *combined(const ast::Build &build, nest::ReductionOp op, const ast::Expr *a, const ast::Expr *b);

/// The spectrum over the range, which is given the value before and returns the one behind, and one that combines a
/// container of values, where parts may be combined.
std::vector<const ast::Spectrum *> spectrumsOf(ReductionLoop loop, const std::string &base, ast::Names &names,
                                               ast::Arena &arena);

} // namespace tangram::divide
