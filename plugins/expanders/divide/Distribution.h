// Loops that have to run one iteration after the other, moved behind those that do not.
#pragma once

#include "tangram/nest/Read.h"

namespace tangram::divide {

/// The codelet with its loops distributed over what stands in them, and parallel loops around serial ones
/// (interchange), as far as dependences allow; the very same one where nothing changes.
///
///   for (i...) { t = 0; for (j...) t += a[i][j] * x[j]; for (j...) y[j] += a[i][j] * t; }
///
/// becomes a loop over i that fills t_of[i] (scalar expansion), and loops over j and i, of which j is parallel. What is
/// expanded has as many elements as a container that is there, or at most `mostExpanded`, which is a condition of the
/// codelet then.
const ast::Codelet *withParallelLoopsOutside(nest::Nests &nests, const ast::Codelet &codelet, std::int64_t mostExpanded,
                                             ast::Arena &arena);

/// The same, but with a loop taken apart in which a scalar goes on from iteration to iteration:
///
///   for (i...) { s = 0; for (j...) { s += a[i][j]; b[i][j] = b[i - 1][j] + s; } }
///
/// becomes a loop over i, of whose rows sums s_of[i][j] are kept, and loops over j and i, of which j is parallel. Null
/// where there is no such scalar, or as many of the outermost loops have to run one iteration after the other as in
/// `otherwise`.
const ast::Codelet *withRunningValuesApart(nest::Nests &nests, const ast::Codelet &codelet,
                                           const ast::Codelet &otherwise, std::int64_t mostExpanded, ast::Arena &arena);

} // namespace tangram::divide
