// Scalar replacement: an element that a loop updates in each of its turns is kept in a variable meanwhile.
#pragma once

#include "tangram/ast/Names.h"
#include "tangram/nest/Read.h"

namespace tangram::nest {

/// for (...) c[i] += e;   as   T value = c[i]; for (...) value += e; c[i] = value;   for loops that stand among `body`,
/// where what else is touched of the container in the loop are surely other elements, by other numbers in their
/// indices. Asks in front whether the loop has a turn; not where the statement in front stores to the element: c[i] =
/// 0; for (...) is   T value = 0; for (...)   then.
std::vector<const ast::Stmt *> withPromotedElements(const std::vector<const ast::Stmt *> &body, ast::Names &names,
                                                    ast::Arena &arena);

/// The same for all loops of a codelet, where these are other elements also by what is known of loops: where what the
/// nest takes for granted holds (Nest::assumed), of which the result's nest takes no less. The very same codelet where
/// there are no such elements.
const ast::Codelet *withPromotedElements(Nests &nests, const ast::Codelet *codelet, ast::Arena &arena);

} // namespace tangram::nest
