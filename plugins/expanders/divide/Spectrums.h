// Spectrums over index ranges and what loops capture, and their codelets.
#pragma once

#include "Captures.h"
#include "Streams.h"

#include "tangram/nest/Codelets.h"

#include <memory>

namespace tangram::divide {

using nest::Codelets;
using nest::LoopRange;

struct PointReduction; // Columns.h

/// What a group has of a container that it accumulates into: as many copies, which lanes take by turns.
struct PrivateCopies {
  std::int64_t elements = 0; // that a container may have at most
  std::int64_t copies = 1;
};

/// Loops that stand directly in each other, all parallel, over ranges that do not depend on each other.
struct Band {
  std::vector<LoopRange> ranges;          // outermost first
  std::vector<const ast::Stmt *> body;    // of the innermost
  std::vector<const ast::Stmt *> divided; // the body with loops in it divided; empty: there are none
  Captures captures;
  std::shared_ptr<const PointReduction> reduction; // of one loop whose iterations are a reduction each; null: of others
  std::vector<PrivateCopies> privates;
  std::optional<Stream> stream; // of the last two loops
  bool collapse = false;        // also with the outer loops, and with all, as one
  /// One of the loops counts by what is no number, so that it may turn once and the one in it often, or the other way:
  /// where they can be one, they are.
  bool bySteps = false;
};

/// Makes the spectrums of a band, named after `base`; the first of the list is the one over all ranges.
std::vector<const ast::Spectrum *> spectrumsOf(Band band, const std::string &base, ast::Names &names,
                                               ast::Arena &arena);

} // namespace tangram::divide
