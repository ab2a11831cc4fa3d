// Checked code: what the nodes Check, Faulted and Report share.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::ast {

/// Whether a function is given a record of errors by this parameter, for checks of its own or of what it calls. All
/// that run it share the record.
bool isRecord(const Function &function, const Param &param);

} // namespace tangram::ast
