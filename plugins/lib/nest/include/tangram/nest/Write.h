// Makes loops of a schedule.
#pragma once

#include "tangram/nest/Schedule.h"

namespace tangram::nest {

struct Written {
  const ast::Block *body = nullptr;
  /// What has to hold of the codelet's parameters for the body to be right (Nest::assumed, and that numbers fit 64
  /// bits); empty: nothing. To be put into the codelet's conditions, or a branch around it.
  std::vector<const ast::Expr *> conditions;
  /// Where there is no body: why.
  std::string problem;
};

/// The body of the codelet as the schedule has it. Outermost statements and loops that no step has touched are the
/// source's own nodes; iterators of the others are of 64 bits.
Written write(const Schedule &schedule, ast::Arena &arena);

/// The codelet with a body that was written, and what that asks for.
const ast::Codelet *withWritten(const ast::Codelet *codelet, const Written &written, ast::Arena &arena);

/// The statements of items as the source has them, but for `if (cond) continue;`, which is a branch around what
/// follows.
std::vector<const ast::Stmt *> sourceOf(const Nest &nest, const std::vector<Item> &items, ast::Arena &arena);

/// A function of iterators and parameters, in 64 bits; null where that cannot be said.
const ast::Expr *written(const Nest &nest, const isl::pw_aff &value, ast::Arena &arena);

/// The conditions under which what was read of the nest is right, over the codelet's parameters; nothing where they
/// cannot be said as expressions.
std::optional<std::vector<const ast::Expr *>> conditions(const Nest &nest, ast::Arena &arena);

} // namespace tangram::nest
