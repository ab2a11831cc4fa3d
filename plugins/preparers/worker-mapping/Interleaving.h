// Parts of a range that units of a group have each, whose lanes share their iterations.
#pragma once

#include "tangram/ast/KnownValues.h"
#include "tangram/ast/Node.h"

#include <optional>

namespace tangram::mapping {

/// Iterations from `begin` to `end` (exclusive), in any order.
struct Iterations {
  const ast::Expr *begin = nullptr, *end = nullptr;
  const ast::Loop *inner = nullptr; // whose body an iteration is
};

/// What the loops of a split go through together that is distributed twice (Flattener::mapSplit):
///
///   for (k = 0; k < units; ++k) {
///     from = min(begin + k * chunk, end); to = min(from + chunk, end);
///     for (j = from; j < to; ++j) body
///   }
///
/// where chunk is (end - begin) / units, rounded up. Nothing where it is something else, or the units wait for each
/// other in the body.
std::optional<Iterations> iterationsOf(const ast::Loop &outer, std::uint64_t units, ast::Arena &arena,
                                       const ast::KnownValues &known);

} // namespace tangram::mapping
