// One iteration of a loop, taken apart: what it loads, and what it does with that.
#pragma once

#include "tangram/ast/Names.h"
#include "tangram/loops/Counted.h"
#include "tangram/loops/Memory.h"

#include <optional>
#include <set>
#include <vector>

namespace tangram::batching {

using loops::Memory;

struct Iteration {
  /// Declarations: of what is loaded, and of what its addresses are made of. Nothing of what earlier iterations do
  /// matters to them.
  std::vector<const ast::Stmt *> loads;
  /// The body, with what was loaded put in.
  std::vector<const ast::Stmt *> rest;
  std::set<std::string> declared; // by both
  unsigned registers = 0;         // of 32 bits, of what is loaded for the rest
  unsigned lanes = 1;             // of the widest vector that is loaded
};

/// Nothing where no load can be done before the iterations in front of it.
std::optional<Iteration> takenApart(ast::Arena &arena, ast::Names &names, const Memory &memory,
                                    const loops::Counted &loop);

} // namespace tangram::batching
