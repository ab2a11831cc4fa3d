// Sums over rectangles that start in one corner, as sums of rows.
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::divide {

/// Where each iteration of two loops adds the elements before it along the one and along the other, and takes away that
/// before it along both, which is in both sums (inclusion and exclusion),
///
///   for (y...) for (x...) s[y][x] = s[y - 1][x] + s[y][x - 1] - s[y - 1][x - 1] + e;
///
/// the difference of two rows goes on along the inner loop:
///
///   for (y...) { d = s[y][first - 1] - s[y - 1][first - 1]; for (x...) { d += e; s[y][x] = s[y - 1][x] + d; } }
///
/// Any of the three may be left out in the first iteration along it. Of whole numbers the difference is without a sign,
/// and wraps around; of others where `reorder` lets sums round. The very same codelet where there is none.
const ast::Codelet *withRowSums(nest::Nests &nests, const ast::Codelet &codelet, bool reorder, ast::Arena &arena);

} // namespace tangram::divide
