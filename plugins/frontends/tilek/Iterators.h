// Iterators that a function declares in front of its loops, as C used to have it: where each loop sets one before it
// reads it, and nobody reads it behind, the loop declares it.
#pragma once

#include "Regions.h"

#include <set>

namespace tangram::tilek {

struct Iterators {
  std::set<const clang::VarDecl *> own;
  std::vector<const clang::ForStmt *> loops; // that are to declare theirs
};

Iterators iteratorsOf(const clang::FunctionDecl *function);

} // namespace tangram::tilek
