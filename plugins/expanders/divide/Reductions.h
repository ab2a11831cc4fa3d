// A loop that carries nothing but updates of scalars, of each by one operator, as a spectrum over its range. What else
// its iterations write is each one's own.
#pragma once

#include "Spectrums.h"
#include "tangram/nest/Dependences.h"

namespace tangram::divide {

/// A scalar that iterations combine.
struct Reduced {
  std::string name;
  ast::Type type;
  nest::ReductionOp op = nest::ReductionOp::Add;
};

struct ReductionLoop {
  LoopRange range;
  std::vector<const ast::Stmt *> body;
  Captures captures; // without the scalars
  std::vector<Reduced> scalars;
  const ast::Struct *values = nullptr;         // of several scalars, with a field each: what the spectrum returns
  bool reorder = true;                         // parts may be combined in another order than the loop's
  std::vector<const ast::Stmt *> divided = {}; // the body with its own loops divided; empty: it has none

  ast::Type result() const { return values ? ast::Type::structure(values->name) : scalars[0].type; }
};

/// The value of scalar `k` in a result.
const ast::Expr *valueOf(const ReductionLoop &loop, std::size_t k, const ast::Expr *result, ast::Arena &arena);

/// What leaves a value as it is; null for a type that has none.
const ast::Expr *neutral(const ast::Build &build, nest::ReductionOp op, const ast::Type &type);
const ast::Expr *combined(const ast::Build &build, nest::ReductionOp op, const ast::Expr *a, const ast::Expr *b);

/// The spectrum over the range, which is given the values before and returns those behind, and one that combines a
/// container of results, where parts may be combined.
std::vector<const ast::Spectrum *> spectrumsOf(ReductionLoop loop, const std::string &base, ast::Names &names,
                                               ast::Arena &arena);

} // namespace tangram::divide
