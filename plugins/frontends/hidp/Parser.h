// Text of HiDP to its syntax tree.
#pragma once

#include "Syntax.h"

namespace tangram::hidp {

/// Throws at the first word that does not fit.
syntax::Program parse(const Source &source);

} // namespace tangram::hidp
