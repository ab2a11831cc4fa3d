// The file in the language: kernels become spectrums with their loops as a codelet; what they do not need is left out.
#pragma once

#include "Regions.h"
#include "Source.h"

namespace tangram::tilek {

/// Throws DiagnosticError where the data clauses do not fit the functions.
frontend::Rewritten rewritten(const Places &places, const std::vector<Region> &regions,
                              const std::vector<Directive> &directives);

} // namespace tangram::tilek
