// Scalars that are set together where one of them is surpassed: an extreme value and its place (argmin, argmax), and
// whatever else belongs to it.
#pragma once

#include "tangram/nest/Nest.h"

namespace tangram::nest {

/// if (e > most) { most = e; at = i; }
struct Selection {
  const ast::VarRef *value = nullptr;              // that is compared, and set to what surpasses it
  ast::BinaryOp compare = ast::BinaryOp::Gt;       // e compare value; Le and Ge: also what is equal replaces it
  std::vector<const ast::VarRef *> followers = {}; // set with it; at least one: without, it is a minimum or maximum
};

/// Nothing where the statement is something else, or what is set depends on one of the scalars.
std::optional<Selection> selectionOf(const ast::Stmt *statement);

/// The codelet with selections as such statements: conditional expressions in a row, `at = e > most ? i : at; most =
/// std::max(most, e);`, and those on a further condition, `if (valid[i] && e > most) ...`, which becomes one around it.
const ast::Codelet *withSelections(const ast::Codelet *codelet, ast::Arena &arena);

/// The statements with more set where a selection of this scalar replaces it: by `more`, in each.
std::vector<const ast::Stmt *> withMoreSelected(const std::vector<const ast::Stmt *> &statements,
                                                const std::string &value, const std::vector<const ast::Stmt *> &more,
                                                ast::Arena &arena);

} // namespace tangram::nest
