// Kernels of a module that the language read: as spectrums with the codelets that directives ask for.
#pragma once

#include "Source.h"

namespace tangram::tilek {

/// Null, with errors reported, where a directive cannot be followed.
const ast::Module *withKernels(const ast::Module *module, const Source &source, ast::Arena &arena,
                               DiagnosticEngine &diags);

} // namespace tangram::tilek
