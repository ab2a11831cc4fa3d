// Statements that update a place by an associative operator: x += e, x = e + x, m = max(m, e), if (e > m) m = e.
#pragma once

#include "tangram/nest/Nest.h"

namespace tangram::nest {

struct Update {
  const ast::Expr *target = nullptr;
  ReductionOp op = ReductionOp::Add;
  const ast::Expr *value = nullptr; // that it is updated by, also of another type; null: 1
  bool subtracts = false;           // Add: the value is taken away
};

/// Nothing where the statement is no such update, reads the variable of the place in `e` as well, or does more than
/// compute a value. `module`: of the functions that it calls.
std::optional<Update> updateOf(const ast::Stmt *statement, const ast::Module &module);
/// The operator of an atomic whose result is not used.
std::optional<ReductionOp> reductionOp(ast::AtomicOp op);

} // namespace tangram::nest
