// Which codelets may come to another result the next time: those for which it matters who comes first.
#pragma once

#include "tangram/ast/Node.h"

#include <string>

namespace tangram::reproducibility {

/// What depends on who comes first, with the line; empty: nothing. Functions that it calls are looked into.
std::string dependsOnTiming(const ast::Module &module, const ast::Codelet &codelet);

/// Which function of the math library differs between devices in its last bits, with the line; empty: none.
std::string dependsOnDevice(const ast::Module &module, const ast::Codelet &codelet);

} // namespace tangram::reproducibility
