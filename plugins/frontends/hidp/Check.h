// Looks up names, finds out types and shapes, and makes loops of what is elementwise.
#pragma once

#include "Program.h"

namespace tangram::hidp {

/// Throws where the program makes no sense. What it gives refers to `program`.
Program check(const syntax::Program &program, const Source &source);

} // namespace tangram::hidp
