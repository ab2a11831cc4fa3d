// Reads the loop nests of an autonomous codelet.
#pragma once

#include "tangram/nest/Nest.h"

#include <memory>

namespace tangram::nest {

/// All of the codelet's body. What is not affine is remarked upon and stands for more than it does: an access for its
/// whole container, a loop for all values of its iterator, a statement that cannot be taken apart for all that it
/// mentions. Null for a cooperative codelet.
std::unique_ptr<Nest> read(const ast::Module &module, const ast::Codelet &codelet);

/// Whether evaluating the expression changes anything, where functions that are expressions are known. `depth`: within
/// so many calls.
bool changesSomething(const ast::Expr *e, const ast::Module &module, unsigned depth = 0);

} // namespace tangram::nest
