// Codelets that are loops over index ranges, as the expander `divide` makes them, read as the loops that they stand
// for.
#pragma once

#include "tangram/nest/Nest.h"

#include <map>
#include <memory>
#include <set>

namespace tangram::tile {

inline const ast::Type kNumber = ast::Scalar::U32, kSize = ast::Scalar::U64;

/// for (size_t x = 0; x < range.size(); ++x) { T i = range[x]; ... }
struct RangeLoop {
  const ast::Param *range = nullptr;
  const ast::Declare *iterator = nullptr;
  std::int64_t step = 1; // from number to number
  unsigned loop = 0;     // in the nest
  std::string end{};     // of the nest's loop, a parameter
  ast::SourceRange where;
};

struct RangeNest {
  std::vector<const ast::Declare *> fixed; // in front of the loops
  std::vector<RangeLoop> loops;            // directly in each other, outermost first
  /// Under which the innermost loop does anything, in iterators and scalars alone; null: always.
  const ast::Expr *guard = nullptr;
  std::vector<const ast::Stmt *> body; // of the innermost and its guard, with promoted elements
  std::set<std::string> ranges;        // of the codelet's parameters: their elements are computed, and lie in no memory
  /// With `for (T i = first; i < end; i += step)` in place of each: an affine nest, of the same body.
  std::unique_ptr<nest::Nest> nest;
  /// Whether no index wraps around, whatever the parameters are.
  bool unconditional() const;
};

using RangeSteps = std::map<std::pair<std::string, unsigned>, std::int64_t>;

/// Nothing where the codelet is something else.
std::optional<RangeNest> rangeNest(const ast::Module &module, const ast::Spectrum &spectrum,
                                   const ast::Codelet &codelet, const RangeSteps &steps, ast::Arena &arena);

} // namespace tangram::tile
