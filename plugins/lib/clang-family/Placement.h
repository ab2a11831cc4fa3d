// Qualifiers stand where they mean something.
#pragma once

#include "tangram/clang-family/Ranges.h"

#include "tangram/diag/Diagnostic.h"

#include <clang/AST/Decl.h>

namespace tangram::frontend {

/// Reports every qualifier below `declaration` that stands on something it does not apply to.
void checkPlacement(clang::Decl *declaration, const Ranges &ranges, DiagnosticEngine &diags);

} // namespace tangram::frontend
