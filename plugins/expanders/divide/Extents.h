// Which container's size an extent is.
#pragma once

#include "tangram/ast/Node.h"

#include <optional>

namespace tangram::divide {

/// Without casts, and what a variable that keeps its value stands for.
const ast::Expr *resolved(const ast::Expr *e, const ast::Codelet &codelet);

/// By parameters of the codelet, and what is computed of them once; null: these do not say.
const ast::Expr *byParameters(const ast::Codelet &codelet, const ast::Expr *e, ast::Arena &arena);

/// Which dimension of a container that the codelet is given an extent is that of.
struct GivenExtent {
  const ast::Param *container = nullptr;
  std::size_t dimension = 0;
};
std::optional<GivenExtent> givenExtent(const ast::Expr *extent, const ast::Codelet &codelet);

/// Whether a spectrum requires two extents of what it is given to be equal: `a.size() == b.size(1) && b.size(1) ==
/// ...`. They are those of the spectrum's parameters.
bool requiresEqual(const ast::Spectrum &spectrum, GivenExtent one, GivenExtent other);
/// The number that a spectrum requires an extent of its parameters to be, `a.size(1) == 4`, if any.
std::optional<ast::Int> requiredExtent(const ast::Spectrum &spectrum, GivenExtent extent);

} // namespace tangram::divide
