// A diagnostic on its way from a child process.
#pragma once

#include "tangram/diag/Diagnostic.h"
#include "tangram/process/Children.h"

namespace tangram::runtime {

/// Fields, to stand at the end of a message.
Message encode(const Diagnostic &diagnostic);
/// From the field `at` on. Names of files live in `arena`.
Diagnostic decodeDiagnostic(const Message &message, std::size_t at, ast::Arena &arena);

} // namespace tangram::runtime
