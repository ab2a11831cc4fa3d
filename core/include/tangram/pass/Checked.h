// Code that reports accesses out of their container's range instead of doing them, from the pipeline of any target.
#pragma once

#include "tangram/hardware/Target.h"

namespace tangram {

/// The option of passes and backends that make checked code.
inline constexpr const char *kCheckedOption = "checked";

/// Hands the option to all of the pipeline that have it. Optimizers that establish no property are left out: they are
/// for speed alone, and need not know of checks. Throws DiagnosticError where no pass of the pipeline makes checks.
void makeChecked(hardware::Target &target, const Registry &registry);

} // namespace tangram
