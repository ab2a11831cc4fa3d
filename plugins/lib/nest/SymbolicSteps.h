// Loops that count by what is no number, as the stages of a butterfly network have them.
#pragma once

#include "tangram/ast/Names.h"
#include "tangram/ast/Node.h"

#include <optional>
#include <vector>

namespace tangram::nest {

/// A loop, and the constants that stand in front of it.
struct CountedBySteps {
  std::vector<const ast::Stmt *> before;
  const ast::For *loop = nullptr;
};

/// for (i = a; i < n; i += s) S(i)   as   for (turn = 0; turn < (n - a - 1) / s + 1; ++turn) S(a + turn * s)   where s
/// is no number, and neither s nor n changes in S. Loops in S from i to i + m are then ones from 0 to m. Nothing where
/// it is no such loop, or counts by fewer than 32 bits, which may wrap around on the way.
std::optional<CountedBySteps> countedBySteps(const ast::For &loop, ast::Names &names, ast::Arena &arena);

} // namespace tangram::nest
