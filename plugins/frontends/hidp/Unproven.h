// Map blocks of which the analysis of loops cannot prove what the language says: that iterations are independent.
#pragma once

#include "Kernels.h"
#include "tangram/pass/Pass.h"

namespace tangram::hidp {

/// Of the module that was made of the program without any of them mapped. Where two iterations certainly touch one
/// element, which one of them writes, that is said as a warning, and the loop stays as it is.
Mapped unproven(const ast::Module &module, const Program &program, const Source &source, DiagnosticEngine &diags);

} // namespace tangram::hidp
