// Containers of one dimension that are used like several, x[(i * n + j) * m + k], as containers of these dimensions.
#pragma once

#include "tangram/ast/Names.h"
#include "tangram/nest/Read.h"

namespace tangram::divide {

/// f(m, n, x) { for (i...) for (j...) x[i * n + j] = ...; }   as
///
///   f(m, n, x)         { Array<2, T> x_shaped = x, of m rows of n; f_shaped(m, n, x_shaped); }
///   f_shaped(m, n, x)  { for (i...) for (j...) x[i][j] = ...; }
///
/// so that footprints, neighbours and tiles are known in each dimension. The codelet asks that indices lie in their
/// dimensions, and for room for as many rows as are named; where that cannot be said, rows have to come out even
/// (delinearization: Grosser and others, Optimistic Delinearization of Parametrically Sized Arrays, ICS 2015). Extents
/// are what the codelet is given, or computed of that. Containers of its own have their shapes as well.
struct Shapes {
  const ast::Codelet *codelet = nullptr; // makes the containers, and calls the spectrum
  const ast::Spectrum *shaped = nullptr; // with one codelet, `loops`
};

/// Nothing where no container is used so, or one is in other ways as well.
std::optional<Shapes> withShapes(const ast::Module &module, const ast::Spectrum &spectrum, const ast::Codelet &codelet,
                                 const std::string &name, ast::Names &names, ast::Arena &arena);

} // namespace tangram::divide
