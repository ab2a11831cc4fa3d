// What a scalar around a loop, or an element, holds in each iteration, in a variable of the iteration's own.
#pragma once

#include "tangram/ast/Names.h"

#include <optional>
#include <set>
#include <string>

namespace tangram::divide {

/// Gives what a scalar around a loop holds in an iteration a variable of the iteration's own, for the statements beside
/// the one that changes it: `for (...) { sum += x[i]; y[i] = sum; }` as
/// `for (...) { sum += x[i]; const T sum_then = sum; y[i] = sum_then; }`.
/// So of an element that an iteration changes and then reads, `column[x] += in[y][x]; sum += column[x];`.
/// Nothing where no scalar, and no such element, is changed by one statement of the loop, and read by others.
struct OwnRunningValues {
  const ast::Codelet *codelet = nullptr;
  std::set<std::string> variables; // that it has more
};
std::optional<OwnRunningValues> withOwnRunningValues(const ast::Codelet &codelet, const ast::For *loop,
                                                     ast::Names &names, ast::Arena &arena);

} // namespace tangram::divide
