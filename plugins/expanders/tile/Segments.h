// The body of a band of loops in parts that all points of a patch go through together.
#pragma once

#include "RangeNest.h"

#include "tangram/nest/Range.h"

#include <set>

namespace tangram::tile {

/// Statements, or a chain of serial loops directly in each other whose turns are the same for all points: the loops go
/// around the patch (interchange), the statements inside are done for one point after the other.
struct Segment {
  /// Loops around it that hold other segments as well, the same for all points; outermost first.
  std::vector<nest::LoopRange> around{};
  std::vector<nest::LoopRange> loops; // outermost first; empty: plain statements
  std::vector<std::int64_t> turns;    // of each loop; 0: known only when the codelet runs
  /// Loops from here on are gone through in panels: this one in parts, those in it in whole.
  std::size_t panel = 0;
  std::vector<const ast::Stmt *> body;
  std::vector<const ast::Stmt *> source{}; // all of it as it is written
  /// Of a loop whose bounds follow from the iterators of the band, as those of a triangle, whether a point takes a
  /// turn; null: all points take the same turns. The patch goes through the turns that any point of it takes.
  const ast::Expr *guard = nullptr;
  /// Sums that are not what the source computes where they are no numbers (ZeroPadding::withZeros).
  std::set<std::string> repaired{};
};

/// Of the statements of the band in `nest`. `nested`: loops with statements beside a loop of many turns are not done
/// point by point, but go around segments of their own.
std::vector<Segment> segmentsOf(const RangeNest &nest, bool nested, ast::Arena &arena);

} // namespace tangram::tile
