// What an argument that points into another one (`index:x`, `offsets:x`) must stay below.
#pragma once

#include "tangram/verify/ArgumentSpec.h"
#include "tangram/verify/Shapes.h"

namespace tangram::runtime {

/// The first extent of the container, or the value of the integer, that `spec` points into; nothing where `shape` does
/// not know it. Throws DiagnosticError (user error) where `spec.of` is neither a parameter of this kind nor a number.
std::optional<std::uint64_t> boundOf(const ArgumentSpec &spec, const ast::Spectrum &spectrum, const Shape &shape);

} // namespace tangram::runtime
