// Elements side by side that copies load and store one by one, as vectors.
#pragma once

#include "tangram/ast/Names.h"
#include "tangram/ast/Node.h"
#include "tangram/loops/Memory.h"

#include <set>
#include <string>
#include <vector>

namespace tangram::loops {

/// Code whose copies may stand side by side: nothing that lanes do together, no jumps, no `++a[i]`, no calls but of
/// `functions` and of mathematical ones.
bool mergeable(const ast::Block *body, const std::set<std::string> &functions);

/// The statements, of which elements at constant distances from one Aligned pointer are loaded and stored together,
/// where all that lie between two multiples of its alignment are so in one block, whatever is decided meanwhile. Other
/// elements are accessed without that pointer.
std::vector<const ast::Stmt *> merged(ast::Arena &arena, ast::Names &names, const Memory &memory,
                                      std::vector<const ast::Stmt *> stmts);

} // namespace tangram::loops
