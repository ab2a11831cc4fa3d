// Loops of which all depend on the iterations before, in blocks: as blocked factorizations of matrices.
#pragma once

#include "Spectrums.h"

#include "tangram/nest/Read.h"

#include <optional>

namespace tangram::divide {

struct Blocks {
  const ast::Codelet *codelet = nullptr;        // whose loop goes through blocks
  std::vector<const ast::Spectrum *> spectrums; // of what is done for a block, one a loop; with one codelet each
};

/// Of the codelet's first outermost loop that depends on itself, and has at least two loops in each other in it;
/// nothing where there is none that may go through blocks of `size` iterations. `name` is that of the codelet. Of
///
///   for (k...) { for (i > k...) l[i][k] /= l[k][k]; for (i > k...) for (j > k...) l[i][j] -= l[i][k] * l[k][j]; }
///
/// comes a loop over blocks of k: the block's own square, the columns below it, the rows beside it, and what is left,
/// where i and j are parallel and k is a reduction (blocked LU factorization, as LAPACK's). What a loop only reads of a
/// container that it writes elsewhere is a container of its own for it. `refused`: loops that stay as they are, and
/// why.
std::optional<Blocks> blocks(nest::Nests &nests, const ast::Spectrum &spectrum, const ast::Codelet &codelet,
                             const std::string &name, std::int64_t size, ast::Names &names, ast::Arena &arena,
                             std::vector<nest::Remark> &refused);

} // namespace tangram::divide
