// A loop that carries one running value, of which each iteration makes use: a prefix sum, and what is like it. As a
// spectrum over its range, whose parts first combine what they add, and then go through their iterations again, each
// from the value that those before it have come to (reduce, then scan).
#pragma once

#include "Reductions.h"

namespace tangram::divide {

struct ScanLoop {
  ReductionLoop total;                 // what is left of the loop where only the running value is asked for
  std::vector<const ast::Stmt *> body; // all of it
  Captures captures;                   // of that, without the running value
};

/// The loop as a scan. Nothing where it carries more than one scalar's update, or the value depends on what the loop
/// writes elsewhere. `body`: of the loop's iteration.
std::optional<ScanLoop> scanLoop(const nest::Nest &nest, const nest::Item &loop, const nest::Dependences &dependences,
                                 std::vector<const ast::Stmt *> body, ast::Arena &arena);

/// The first spectrum is given the range and the value before, and returns the one behind.
std::vector<const ast::Spectrum *> spectrumsOf(ScanLoop loop, const std::string &base, ast::Names &names,
                                               ast::Arena &arena);

} // namespace tangram::divide
