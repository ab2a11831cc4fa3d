// Writes a loop that lanes share so that a lane has several neighbouring iterations at a time.
#pragma once

#include "Accesses.h"
#include "LaneLoops.h"

#include "tangram/ast/Names.h"

namespace tangram::coarsening {

struct Limits {
  unsigned iterations; // of a chunk, a power of two
  unsigned bytes;      // of an access, a power of two
  unsigned registers;  // of 32 bits, for values of a chunk that live through a loop in it
  std::size_t nodes;   // of a chunk's tree
};

/// Null where nothing of it lies side by side, or limits forbid it.
const ast::Stmt *widened(ast::Arena &arena, ast::Names &names, const ast::Module &module, const loops::Memory &memory,
                         const LaneLoop &lanes, const Limits &limits, const std::set<std::string> &scalars);

} // namespace tangram::coarsening
